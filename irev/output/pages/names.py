"""Names on a page, no two of which look alike: readers, and addresses that lead to a topic, tell things by them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Signs that count as printable, and of which nothing is seen; `irev.errors.printable` escapes the others."""

_CYRILLIC = "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425"
_CYRILLIC += "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455"
_GREEK = "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf"
_LATIN = str.maketrans(_CYRILLIC + _GREEK, "ABEKMHOPCTX" + "aeopcyxijs" + "ABEZHIKMNOPTYXo")
"""Letters of which fonts have the same shapes as for those of the Latin alphabet."""


def distinct(names: Sequence[str]) -> list[str]:
    """Names of which no two are alike: what looks like another one is given a number."""
    looks = list(map(_look, names))
    seen: dict[str, int] = {}
    taken = set(looks)
    made = []
    for name, look in zip(names, looks, strict=True):
        number = seen[look] = seen.get(look, 0) + 1
        called = name
        while number > 1 and _look(called) in taken:
            called = f"{name} #{number}"
            number += 1
        if called != name:
            taken.add(_look(called))
        made.append(called)
    return made


def _look(name: str) -> str:
    """What is seen of a name, the same for names that look the same, as far as these tables go."""
    if not name.isascii():
        name = _UNSEEN.sub("", unicodedata.normalize("NFKC", name)).translate(_LATIN)
    return " ".join(name.split())
