"""The operations, as functions."""

from . import _setwise

__all__ = [name for name, *_ in _setwise._operations()]
globals().update({name: getattr(_setwise, name) for name in __all__})
