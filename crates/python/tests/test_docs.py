"""Tests the docstrings, and runs their examples."""

import doctest
import importlib.metadata
import inspect
import pathlib
import pydoc
import re

import pytest
from conftest import functions, is_of_columns

import setwise
import setwise.polars

FOLDER = pathlib.Path(__file__).parent.parent


def documented():
    """The names and docstrings of everything documented with an example."""
    for module in [setwise, setwise.polars]:
        yield module.__name__, module.__doc__
    for module in [setwise, setwise.polars]:
        for name in module.__all__:
            text = getattr(getattr(module, name), "__doc__", None)
            if callable(getattr(module, name)) and text and ">>>" in text:
                yield f"{module.__name__}.{name}", text


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
    assert len(list(documented())) >= 26 + 8
    examples = (FOLDER / "src/examples.txt").read_text().split("\n\n")[1:]
    texts = "".join(text for _, text in documented())
    assert len(examples) > 20 and all(example in texts for example in examples)


@functions()
def test_every_function_is_documented(operation):
    name, parameter, inputs, outputs = operation
    arguments = [*([parameter[0]] if parameter else []), *(argument for argument, *_ in inputs)]
    function, expression = getattr(setwise, name), getattr(setwise.polars, name)
    # DuckDB's `create_function` counts the parameters, so the signature omits `out` and `threads`.
    assert list(inspect.signature(function).parameters) == arguments
    # A docstring is prose, then every argument and result with its type. It contains no Rust.
    assert re.match(r"[A-Za-z].*\.\n", function.__doc__, re.DOTALL)
    for argument, _, dtype, _ in inputs + outputs:
        assert re.search(rf"^  {argument}: {dtype}", function.__doc__, re.MULTILINE)
    if parameter:
        assert f"  {parameter[0]}: {', '.join(parameter[1])}\n" in function.__doc__
    assert re.search(r"^  out: .*\n  threads: ", function.__doc__, re.MULTILINE)
    prose = function.__doc__.split("\n\nArguments:")[0]
    assert not re.search(r"[`*#]|\]\(|crate::", prose)
    assert function.__name__ == function.__qualname__ == expression.__name__ == name
    if is_of_columns(*operation):
        assert list(inspect.signature(expression).parameters) == [*arguments, "threads"]
        assert expression.__doc__.startswith(function.__doc__.split("\n")[0])
        assert "out:" not in expression.__doc__
        for argument, *_ in inputs + outputs:
            assert re.search(rf"^  {argument}: ", expression.__doc__, re.MULTILINE)


def test_help_opens_with_what_a_person_needs():
    lines = pydoc.render_doc(setwise, renderer=pydoc.plaintext).splitlines()
    opening = "\n".join(lines[:45])
    for text in ["a1 is bit 0", "setwise.from_fen([", "slider_attacks", "Polars", "out", "threads"]:
        assert text in opening
    # Every function that the table names exists.
    table = setwise.__doc__.split("What you need")[1].split("\n\n")[0]
    names = set(re.findall(r"\b[a-z]+_[a-z_]+\b", table)) - {"polars", "nnue_pytorch"}
    assert len(names) > 15 and all(hasattr(setwise, name) for name in names), names


def test_version():
    assert setwise.__version__ == importlib.metadata.version("setwise")


def test_packages_can_be_installed():
    """Messages recommend `pip install setwise[PART]`: the package has these parts."""
    parts = importlib.metadata.metadata("setwise").get_all("Provides-Extra")
    modules = pathlib.Path(setwise.__file__).parent.glob("*.py")
    text = "".join(module.read_text(encoding="utf-8") for module in modules)
    named = set(re.findall(r"pip install setwise\[(\w+)\]", text))
    assert {"arrow", "polars", "spark"} <= named <= set(parts)
