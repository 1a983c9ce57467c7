"""The functions of `setwise.spark`, as Spark's workers run them: on columns of pyarrow."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
import pyarrow
import pyarrow.compute as compute

from . import _fen, _maps, _setwise

#: The types of results, by their numpy types: in Arrow and in Spark, which has no unsigned types.
_ARROW = {"uint64": pyarrow.int64(), "uint32": pyarrow.int32(), "bool": pyarrow.bool_()}
_SPARK = {"uint64": "bigint", "uint32": "int", "bool": "boolean"}


class Function(NamedTuple):
    """A function on columns."""

    #: The arguments. The values of a text argument, such as a direction; None for other arguments.
    arguments: dict[str, Any]
    #: The names and numpy types of the results. Several results are the fields of a struct.
    results: dict[str, str]
    #: Computes the results, as a sequence, from columns and the values of text arguments.
    call: Callable
    #: What the function computes.
    prose: str

    def spark_type(self) -> str:
        """The type of the result in Spark."""
        fields = [f"{name}: {_SPARK[dtype]}" for name, dtype in self.results.items()]
        return f"struct<{', '.join(fields)}>" if len(fields) > 1 else fields[0].split(": ")[1]


def evaluate(name: str, columns: tuple) -> Any:
    """Calls a function on Arrow arrays, and returns an array."""
    if name not in FUNCTIONS:
        raise ValueError(f"setwise {_setwise.__version__} on this worker has no function {name}")
    function = FUNCTIONS[name]
    if len(columns) != len(function.arguments):
        arguments = ", ".join(function.arguments)
        raise TypeError(f"{name}({arguments}) got {len(columns)} arguments")
    texts = [i for i, values in enumerate(function.arguments.values()) if values]
    if not texts:
        return _result(function, columns)
    # Call the function once for each combination of texts, on the rows that have it. In most
    # batches, all rows have the same.
    keys = compute.binary_join_element_wise(*(columns[i].cast("string") for i in texts), "\0")
    distinct = compute.unique(keys)
    parts, rows = [], []
    for key in distinct:
        is_key = compute.equal(keys, key) if key.is_valid else keys.is_null()
        selected = compute.indices_nonzero(is_key)
        part = [column.take(selected) if len(distinct) > 1 else column for column in columns]
        values = key.as_py().split("\0") if key.is_valid else []
        if len(values) > len(texts):
            raise ValueError(f"{values!r}: an argument has a NUL")
        for i, text in zip(texts, values):
            argument = [*function.arguments][i]
            part[i] = _value(text, argument, function.arguments[argument])
        result = _result(function, part) if key.is_valid else None
        parts.append(pyarrow.nulls(len(selected), _type(function)) if result is None else result)
        rows.append(selected)
    if len(parts) == 1:
        return parts[0]
    result = pyarrow.chunked_array(parts, _type(function)).combine_chunks()
    return result.take(compute.sort_indices(pyarrow.chunked_array(rows, "uint64")))


def _type(function: Function) -> Any:
    fields = {name: _ARROW[dtype] for name, dtype in function.results.items()}
    return pyarrow.struct(fields) if len(fields) > 1 else next(iter(fields.values()))


def _result(function: Function, columns: Any) -> Any:
    """Computes the result, and makes unsigned columns signed."""
    results = [
        column.view("int64") if column.type == "uint64" else column.cast(_ARROW[dtype])
        for column, dtype in zip(function.call(*columns), function.results.values())
    ]
    if len(results) == 1:
        return results[0]
    valid = compute.is_valid(results[0])
    return pyarrow.StructArray.from_arrays(results, list(function.results), mask=compute.invert(valid))


def _value(text: str, name: str, values: list[str]) -> str:
    """The value of a text argument: case and separators don't matter, and sides have initials."""
    letters = lambda text: "".join(filter(str.isalnum, text.lower()))
    short = {"w": "white", "b": "black"}.get(text, text) if name == "side" else text
    for value in values:
        if letters(value) == letters(short):
            return value
    raise ValueError(f"{text[:100]!r} is not a {name}: use one of {', '.join(values)}")


def _sets(column: Any) -> Any:
    """Widens a column of smaller integers: a number in SQL is an int."""
    is_int = isinstance(column, pyarrow.Array) and pyarrow.types.is_signed_integer(column.type)
    return column.cast("int64") if is_int else column


def _operation(name: str, parameter: Any, inputs: list, outputs: list) -> Function:
    """The function of an operation on columns of sets and squares."""
    operation = getattr(_setwise, name)

    def call(*columns: Any) -> Any:
        results = operation(*map(_sets, columns))
        return results if isinstance(results, tuple) else (results,)

    arguments = {parameter[0]: list(parameter[1])} if parameter else {}
    arguments |= dict.fromkeys(argument for argument, *_ in inputs)
    results = {output: dtype for output, _, dtype, _ in outputs}
    return Function(arguments, results, call, _prose(name))


def _prose(name: str) -> str:
    """The first sentences of an operation's documentation."""
    return str(getattr(_setwise, name).__doc__).split("\n\n")[0]


def _of_positions(name: str, results: list[str], call: Callable) -> Function:
    """The function of an operation on whole positions, which are structs of sets."""

    def of_structs(positions: Any) -> Any:
        fields = dict(zip(positions.type.names, positions.flatten()))
        sets = {name: _sets(fields[name]) for name in fields if name in _maps.PIECES}
        return call(sets).values()

    return Function({"positions": None}, _named(results), of_structs, _prose(name))


def _parsed(fens: Any, bad_is_null: bool) -> _fen.Parsed:
    positions = _fen.parsed(fens, True)
    if bad_is_null or positions.valid.all():
        return positions
    for row in numpy.flatnonzero(~positions.valid).tolist():
        if fens[row].is_valid:
            text = fens[row].as_py()
            try:
                _fen.from_fen([text])
            except ValueError as error:
                reason = str(error).removeprefix("fens[0]: ")
                raise ValueError(f"{text[:100]!r} is not a position: {reason}") from None
    return positions


_TEXTS = {"side": _maps.SIDES, "piece": _maps.KINDS}


def _of_fens(arguments: list[str], results: dict[str, str], call: Callable, prose: str) -> Any:
    """The two functions of a column of FENs. If a string is not a position, one fails, and the
    other returns null."""

    def function(bad_is_null: bool, end: str) -> Function:
        def of_fens(fens: Any, *texts: str) -> Any:
            positions = _parsed(fens, bad_is_null)
            places = [_TEXTS[name].index(text) for name, text in zip(arguments, texts)]
            found = call(positions, *places)
            for column in found if len(results) > 1 else [found]:
                mask = numpy.ma.getmaskarray(column) | ~positions.valid
                yield pyarrow.array(numpy.ascontiguousarray(column.data), mask=mask)

        given: dict[str, Any] = {"fen": None} | {name: _TEXTS[name] for name in arguments}
        return Function(given, results, of_fens, f"{prose} {end} if the string is not a position.")

    return function(False, "Fails"), function(True, "Null")


def _maps_of(positions: _fen.Parsed) -> Any:
    sets = positions.pieces.reshape(-1, 12).T
    return _maps.attack_maps_in_columns(dict(zip(_maps.PIECES, sets))).values()


def _slider_attacks(positions: _fen.Parsed, side: int) -> Any:
    orthogonal, diagonal = positions.orthogonal[:, side], positions.diagonal[:, side]
    return _setwise.slider_attacks(orthogonal, diagonal, positions.occupied[:, side])


def _named(names: list[str]) -> dict[str, str]:
    return dict.fromkeys(names, "uint64")


_SET = _named([""])
_FEN_FUNCTIONS = {
    "fen_sets": _of_fens(
        [], _named(_maps.PIECES), lambda p: p.pieces.reshape(-1, 12).T,
        "The twelve sets of a position."),
    "fen_pieces": _of_fens(
        ["side", "piece"], _SET, lambda p, side, piece: p.pieces[:, side, piece],
        "The pieces of one kind of a side."),
    "fen_occupied": _of_fens([], _SET, lambda p: p.occupied[:, 0], "All pieces."),
    "fen_side": _of_fens(
        ["side"], _SET, lambda p, side: numpy.bitwise_or.reduce(p.pieces[:, side], axis=1),
        "All pieces of a side."),
    "fen_orthogonal": _of_fens(
        ["side"], _SET, lambda p, side: p.orthogonal[:, side], "The rooks and queens of a side."),
    "fen_diagonal": _of_fens(
        ["side"], _SET, lambda p, side: p.diagonal[:, side], "The bishops and queens of a side."),
    "fen_white_to_move": _of_fens(
        [], {"": "bool"}, lambda p: numpy.ma.MaskedArray(p.side == 0, p.side > 1),
        "Whether white is to move; null if the string has no side to move."),
    "fen_slider_attacks": _of_fens(
        ["side"], _SET, _slider_attacks, "The squares that the sliders of a side attack."),
    "fen_attack_maps": _of_fens(
        [], _named(_maps.MAPS), _maps_of, "All attacks by kind of piece, as `attack_maps`."),
    "fen_checks": _of_fens(
        [], _named(_maps.CHECKS), lambda p: _setwise.checks(p.pieces).reshape(-1, 6).T,
        "The checks and pins of both kings."),
}
_STRUCTS = {
    "attack_maps": (_maps.MAPS, lambda sets: _maps.attack_maps_in_columns(sets)),
    "checks": (_maps.CHECKS, lambda sets: _maps.checks_in_columns(sets)),
}
#: All functions, by name.
FUNCTIONS = {
    name: _of_positions(name, *_STRUCTS[name]) if inputs[0][3] else
    _operation(name, parameter, inputs, outputs)
    for name, parameter, inputs, outputs in _setwise._operations()
}
for _name, _functions in _FEN_FUNCTIONS.items():
    FUNCTIONS[_name], FUNCTIONS[f"try_{_name}"] = _functions
