"""The console of rich that tables are drawn on: text as it is, of one width, and in colours where these are wanted."""

from __future__ import annotations

import io

from rich.console import Console


def console(output: io.StringIO, width: int, colour: bool) -> Console:
    """A console that writes to `output`, never to the terminal, and takes nothing in a text for markup."""
    return Console(
        file=output,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
