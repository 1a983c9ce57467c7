# The extension has no type annotations, because only this package uses it.
from typing import Any

def __getattr__(name: str) -> Any: ...
