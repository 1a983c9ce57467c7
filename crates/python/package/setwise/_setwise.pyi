# What the rest of the package takes from the extension has no types of its own.
from typing import Any

def __getattr__(name: str) -> Any: ...
