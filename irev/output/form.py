"""What a figure is made as: the kind of file, how wide it is, and whether sentences stand below it."""

from __future__ import annotations

from typing import NamedTuple

USUAL_WIDTH = 8.0
"""Inches of a figure of which nothing else is said."""

NARROW = 5.0
"""Inches from which on a figure has room for names beside curves, and pictures beside each other."""

SIGNS = 8.0
"""Points of the text in a narrow figure, which stands in a column as it is."""


class Form(NamedTuple):
    """A form of a figure.

    Attributes
    ----------
    ending : str
        The kind of file, one of `irev.output.figures.ENDINGS`.
    width : float
        Inches that a picture is wide, in which text has its size.
    notes : bool
        Whether a picture has sentences below it, which a paper has in its caption.
    """

    ending: str
    width: float = USUAL_WIDTH
    notes: bool = True

    @property
    def narrow(self) -> bool:
        """Whether there is no room for names beside curves."""
        return self.width < NARROW

    def signs(self, usual: int) -> int:
        """So many signs of a line in a figure as wide as usual, for this one."""
        return max(round(usual * self.width / USUAL_WIDTH), 12)

    @property
    def title(self) -> int:
        """So many signs of a line above a picture, which may be bold, and begins where its axis does."""
        return self.signs(78 if self.narrow else 96)

    def size(self, usual: float) -> float:
        """The size of a text that is smaller where there is much room."""
        return SIGNS if self.narrow else usual
