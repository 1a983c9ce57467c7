"""Operations on Apache Spark 4.1 or later, for SQL and for DataFrames.

Every worker needs this package; `docs/cluster.md` of the repository says how to install it.

>>> import setwise.spark as ss
>>> ss.register(session)                                                        # doctest: +SKIP
>>> session.sql("SELECT queen_attacks(queens, occupied) FROM boards")           # doctest: +SKIP
>>> boards.withColumn("attacks", ss.queen_attacks("queens", "occupied"))        # doctest: +SKIP
>>> boards.select(ss.fen_slider_attacks("fen", "white").alias("white"))         # doctest: +SKIP
>>> boards.select(ss.attack_maps(F.struct("white_rooks", "black_kings")))       # doctest: +SKIP

The functions are the operations of `setwise` and functions of FEN strings; `__all__` lists them,
and `help(setwise.spark.pins)` documents one. In a DataFrame, an argument is the name of a column,
a Column or a number. `direction`, `line`, `side` and `piece` are texts or Columns.

* Spark has no unsigned numbers: a set is a bigint with the same bits, negative if it has h8. A
  decimal without fraction, as Spark reads unsigned columns of Parquet, is also accepted.
* A result is null where an argument is null. Several results are the fields of a struct.
* `attack_maps` and `checks` take positions as structs of sets, `white_pawns` to `black_kings`, as
  `fen_sets` returns. A missing set is empty.
* `fen_...` fails if a string is not a position; `try_fen_...` returns null. Threats have no
  function here: call `setwise.threats` in `mapInArrow`.
"""

from collections.abc import Callable
from typing import Any

try:
    from pyspark.sql import functions as _functions

    _functions.arrow_udf
except (ImportError, AttributeError) as error:
    message = "setwise.spark needs Spark 4.1 or later: pip install setwise[spark]"
    raise ImportError(message) from error

from . import _spark

__all__ = ["register", "sql_name", *_spark.FUNCTIONS]


def register(session: Any) -> None:
    """Registers all functions with a session, for SQL. There, `between` is `setwise_between`,
    because Spark has another function of that name."""
    for name in _spark.FUNCTIONS:
        session.udf.register(sql_name(name), _udf(name))


def sql_name(name: str) -> str:
    """The name of a function in SQL."""
    return "setwise_between" if name == "between" else name


def _udf(name: str) -> Any:
    def call(*columns):  # type: ignore[no-untyped-def]
        # Spark sends this function to its workers as code, so it runs without the package, too.
        try:
            from setwise import _spark
        except ImportError as error:
            import platform
            import sys

            raise ImportError(
                f"the Python package setwise is missing on the worker {platform.node()} "
                f"({sys.executable}): install it there, or set PYSPARK_PYTHON to a Python that has "
                f"it ({error})"
            ) from None
        return _spark.evaluate(name, columns)

    call.__name__ = name
    return _functions.arrow_udf(call, _spark.FUNCTIONS[name].spark_type())


def __getattr__(name: str) -> Callable[..., Any]:
    """The function of this name, for DataFrames."""
    if name not in _spark.FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = _spark.FUNCTIONS[name]

    def expression(*arguments: Any) -> Any:
        columns = []
        for argument, is_text in zip(arguments, function.arguments.values()):
            if isinstance(argument, int):
                argument = _functions.lit((argument + 2**63) % 2**64 - 2**63)
            elif is_text and isinstance(argument, str):
                argument = _functions.lit(argument)
            columns.append(argument)
        if len(columns) != len(function.arguments) or len(arguments) != len(columns):
            raise TypeError(f"{name}({', '.join(function.arguments)}) got {len(arguments)} arguments")
        return _udf(name)(*columns)

    expression.__name__ = expression.__qualname__ = name
    expression.__doc__ = f"{function.prose}\n\nArguments: {', '.join(function.arguments)}\n"
    return expression
