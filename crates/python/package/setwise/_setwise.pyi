# The extension has no types of its own: only this package uses it.
from typing import Any

def __getattr__(name: str) -> Any: ...
