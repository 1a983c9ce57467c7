"""Runs the examples in docstrings, and the example script."""

import doctest
import pathlib
import re
import runpy

import pytest
from conftest import functions

import setwise
import setwise.polars

FOLDER = pathlib.Path(__file__).parent.parent
EXAMPLES = sorted(FOLDER.glob("examples/*.py"))


def documented():
    """The names and docstrings of everything documented with an example."""
    for module in [setwise, setwise.polars]:
        yield module.__name__, module.__doc__
    for name in setwise.__all__:
        text = getattr(getattr(setwise, name), "__doc__", None)
        if callable(getattr(setwise, name)) and text and ">>>" in text:
            yield name, text


@pytest.mark.parametrize("name, text", list(documented()), ids=[name for name, _ in documented()])
def test_docstring(name, text):
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    try:
        result = doctest.DocTestRunner(optionflags=flags).run(test)
    finally:
        setwise.use_kernel()
    assert result.failed == 0 and result.attempted > 0


def test_they_are_all_there():
    assert len(list(documented())) >= 26 + 5


@functions()
def test_every_operation_is_documented(operation):
    name, parameter, inputs, outputs = operation
    function = getattr(setwise, name)
    arguments = [parameter[0]] if parameter else []
    arguments += [argument for argument, *_ in inputs]
    assert function.__name__ == function.__qualname__ == name
    assert function.__text_signature__ == f"({', '.join(arguments)}, out=None, *, threads=None)"
    # A docstring is prose, then every argument and result with its type. It contains no Rust.
    assert re.match(r"[A-Z`].*\.\n", function.__doc__, re.DOTALL)
    for argument, _, dtype, _ in inputs + outputs:
        assert re.search(rf"^  {argument}: {dtype}", function.__doc__, re.MULTILINE)
    if parameter:
        assert f"  {parameter[0]}: {', '.join(parameter[1])}\n" in function.__doc__
    assert "crate::" not in function.__doc__ and "```" not in function.__doc__


def test_examples_are_of_operations():
    text = (FOLDER / "src/examples.txt").read_text()
    names = [section.split("\n")[0] for section in text.split("\n\n")[1:]]
    assert names
    for name in names:
        assert f"setwise.{name}(" in getattr(setwise, name).__doc__


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path, capsys):
    runpy.run_path(str(path))
    assert capsys.readouterr().out


def test_there_is_an_example():
    assert EXAMPLES
