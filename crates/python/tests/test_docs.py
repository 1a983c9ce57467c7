"""The docstrings' examples are run, as is the example."""

import doctest
import pathlib
import runpy

import pytest

import setwise
import setwise.polars

EXAMPLES = sorted(pathlib.Path(__file__).parent.parent.glob("examples/*.py"))


def documented():
    """Every docstring with an example, by name."""
    for module in [setwise, setwise.polars]:
        yield module.__name__, module.__doc__
    for name in setwise.__all__:
        text = getattr(getattr(setwise, name), "__doc__", None)
        if callable(getattr(setwise, name)) and text and ">>>" in text:
            yield name, text


@pytest.mark.parametrize("name, text", list(documented()), ids=lambda value: value if len(value) < 40 else "")
def test_docstring(name, text):
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples
    try:
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test)
    finally:
        setwise.use_kernel()
    assert result.failed == 0 and result.attempted > 0


def test_they_are_all_there():
    assert len(list(documented())) >= 23 + 5


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path, capsys):
    runpy.run_path(str(path))
    assert capsys.readouterr().out


def test_there_is_an_example():
    assert EXAMPLES
