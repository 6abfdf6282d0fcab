"""Fields of lists and logs, as programs read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irev.base.text import decoded

EXACT = frozenset({"time", "shares", "propensities", "dwell"})
"""Those that are never rounded."""


def decoded_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a list or an event with their ids as texts."""
    return {name: _decoded(value) for name, value in fields.items()}


def _decoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_decoded, value))
    return decoded(value) if isinstance(value, bytes) else value
