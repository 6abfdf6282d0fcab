"""Fonts for what the usual one lacks: names in Chinese, Japanese or Korean are drawn by a font of this machine that has
them, and where there is none a warning says so."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from irev.base.errors import IrevWarning, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_USUAL = "DejaVu Sans"
_BEST = ("noto sans cjk", "source han", "wenquanyi", "noto sans", "noto")
"""Families that are tried first, for what they have and how they look."""

_NAMED = 5
"""So many signs are named that no font has."""


def supply(figure: Figure) -> None:
    """Give the texts of a figure fonts that have their signs; those that no font has are an `IrevWarning`."""
    from matplotlib import font_manager
    from matplotlib.text import Text

    known = _signs_of(font_manager.findfont(_USUAL))
    texts: list[Text] = figure.findobj(Text)
    missing = {sign for text in texts for sign in text.get_text() if sign.isprintable() and not sign.isspace()} - known
    if not missing:
        return
    families = [_USUAL]
    for family, path in _ordered((each.name, each.fname) for each in font_manager.fontManager.ttflist):
        if found := missing & _signs_of(path):
            families.append(family)
            missing -= found
        if not missing:
            break
    for text in texts:
        if {*text.get_text()} - known:
            text.set_fontfamily(families)
    if missing:
        several = "".join(sorted(missing)[:_NAMED]) + "…" * (len(missing) > _NAMED)
        warnings.warn(
            f"no font of this machine has {shown(several.encode())}; the figure has boxes in their place: install a"
            " font such as Noto Sans CJK, or make an .svg file",
            IrevWarning,
            stacklevel=2,
        )


def _ordered(fonts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """A file of each family, the best first."""
    files = {family: path for family, path in sorted(fonts, reverse=True) if not family.startswith("Last Resort")}

    def place(family: str) -> int:
        ranks = [rank for rank, best in enumerate(_BEST) if family.lower().startswith(best)]
        return min(ranks, default=len(_BEST))

    return sorted(files.items(), key=lambda each: (place(each[0]), each[0]))


def _signs_of(path: str) -> set[str]:
    from matplotlib.ft2font import FT2Font

    try:
        return {*map(chr, FT2Font(path).get_charmap())}
    except (RuntimeError, OSError, ValueError):  # a font that cannot be read has none
        return set()
