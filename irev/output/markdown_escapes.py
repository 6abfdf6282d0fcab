"""Text that Markdown shows as it is: ids and names are from strangers, and must not become markup.

GitHub does more with text than Markdown does: it makes links of addresses, tells the people and teams that are
mentioned, notes in an issue that it was referred to, and draws emoji. A backslash keeps Markdown away. The rest looks
at the text that came out of it, so only a character between helps: one that takes no room.
"""

from __future__ import annotations

import re

from irev.errors import escaped

APART = "\N{ZERO WIDTH SPACE}"

# Between letters and digits an underscore is no markup, as in names of measures. Addresses become links by themselves.
_SPECIAL = re.compile(r"[\\`*\[\]<>&|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=\bwww)\.", re.ASCII)

# A name of a measure such as nDCG@10 mentions nobody, and is to be copied as it is.
_TELLING = re.compile(
    r"""
      (?<![A-Za-z0-9])@(?!(?<=\)@)\d+(?!\w))   # @user, @organisation/team, and not P(rel=2)@3
    | @(?=[\w.+-]*\.\w)            # user@host.example
    | \#(?=\d)                     # #12
    | \bGH-(?=\d)                  # GH-12
    | :(?=[\w+-]+:)                # :tada:
    """,
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)

_OPENING = re.compile(r"^(?:[#+=-]|:(?=:)|\d+(?=[.)]))")
"""What makes a heading, a list or a rule of a line that begins with it, or an order to a log."""


def apart(text: str) -> str:
    """Text in which GitHub finds no mention, reference or emoji; signs of markup are left as they are."""
    return _TELLING.sub(rf"\g<0>{APART}", text)


def literal(text: str) -> str:
    """Text for a cell of a table, or for the middle of a line."""
    return _SPECIAL.sub(r"\\\g<0>", apart(escaped(text)))


def paragraph(text: str) -> str:
    """Text for a paragraph of its own."""
    return _OPENING.sub(_escaped, literal(text.strip()))


def _escaped(opening: re.Match[str]) -> str:
    """A backslash before a sign, or between a number and what makes it one of a list."""
    return f"{opening[0]}\\" if opening[0].isdigit() else f"\\{opening[0]}"
