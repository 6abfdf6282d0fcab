"""Libraries that are imported when they are needed."""

from __future__ import annotations

from typing import Any


def pandas() -> Any:
    """The package pandas."""
    import pandas

    return pandas
