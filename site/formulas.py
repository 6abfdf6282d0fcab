"""Formulas of measures as MathML, which browsers draw by themselves, from the lines of text in docstrings.

A paragraph that begins with a name and an equals sign is a formula; it ends where its explanation begins. Sums with a
condition get a sum sign, fractions a bar, `x_i` a subscript and `p^(i-1)` a superscript; words stay words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

_FORMULA = re.compile(r"(?m)^(?=[A-Za-z][\w#-]* = ).*$")
_END = re.compile(r"(?<!…)[.:;](?= |$)|,? (?:where|with) |, (?=[a-z]{2,} )")
_SUM = re.compile(r"(?:the )?sum over (?:the )?(?P<what>.+?) of (?!relevant|documents|the )")
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?)|(?P<word>[a-z]-th\b)"
    r"|(?P<name>[A-Za-zΣπ][A-Za-z0-9]*['*²]?(?:_(?:\{[^}]*\}|[A-Za-z0-9]+(?:,[a-z]\b)?))*)"
    r"|(?P<open>[({])|(?P<close>[)}])|(?P<sign>.)"
)
_FUNCTIONS = {"log2": "<msub><mi>log</mi><mn>2</mn></msub>", **{each: f"<mi>{each}</mi>" for each in ("ln", "exp")}}
_FUNCTIONS |= {each: f"<mi>{each}</mi>" for each in ("min", "max")}
_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ"}
_SIGNS = {"-": "−", "*": "·"}


SUMS = {
    "ndcg": (
        "ndcg = (sum over the ranks i of gain_i / log2(i + 1)) / (sum over the ranks i of ideal_i / log2(i + 1))",
        "gain_i: the gain of the document at rank i, which is its grade; 0 without a judgment. ideal_i: the gain at"
        " rank i of the ideal ranking, which has all judged documents, retrieved or not, the highest gain first. The"
        " sum above is DCG, the sum below that of the ideal ranking.",
    ),
    "ndcg_cut_k": (
        "ndcg_cut_k = (sum over the ranks i ≤ k of g_i / log2(i + 1)) / (sum over the ranks i ≤ k of ideal_i"
        " / log2(i + 1))",
        "g_i: the grade of the document at rank i; 0 without a judgment. ideal_i: the grade at rank i of the ideal"
        " ranking, which has all judged documents, retrieved or not, the highest grade first. The sum above is DCG@k,"
        " the sum below that of the ideal ranking. This is what is commonly written nDCG@k.",
    ),
}
"""Formulas by name, for docstrings that describe part of the formula in words; and their terms."""


def with_formulas(markdown: str, known: Callable[[str], bool]) -> str:
    """The page with its formulas as MathML; `known` has the names of measures, to distinguish them from words."""

    def drawn(match: re.Match[str]) -> str:
        name = match[0].partition(" = ")[0]
        measured = known(name) or known(name.rpartition("_")[0])
        if name in SUMS:
            formula, terms = SUMS[name]
            return f"{_paragraph(formula, known)}\n\n{terms}"
        return _paragraph(match[0], known) if measured else match[0]

    return _FORMULA.sub(drawn, markdown)


def cut(line: str) -> tuple[str, str]:
    """The formula of a paragraph, and the text after it."""
    for end in _END.finditer(line):
        formula = line[: end.start()]
        if formula.count("(") == formula.count(")"):
            return formula, line[end.start() :].lstrip(" .:;,")
    return line.rstrip("."), ""


def without_sums(formula: str) -> str:
    """The formula with "sum over …" replaced by the sum sign and its condition."""
    return _SUM.sub(lambda match: f"{match['what']} ", formula)


def _paragraph(line: str, known: Callable[[str], bool]) -> str:
    formula, rest = cut(line)
    if re.match(r"(?!where |with )[a-z]+ ", rest):
        rest = rest[0].upper() + rest[1:]
    drawn = f'<div class="formula"><math display="block">{_Parser(formula, known).all()}</math></div>'
    return f"{drawn}\n\n{rest}" if rest else drawn


class _Parser:
    """Reads a formula from left to right."""

    def __init__(self, text: str, known: Callable[[str], bool]) -> None:
        self._known = known
        self._sums: list[str] = []
        text = _SUM.sub(self._noted, re.sub(r"\\(?=\W)", "", text))  # what stands behind a backslash is itself
        self._tokens = [(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(text)]
        self._at = 0

    def all(self) -> str:
        """The whole formula, in a row."""
        found = ""
        while self._at < len(self._tokens):
            found += self._row()
            if self._at < len(self._tokens):  # a bracket that nothing opened
                found += f"<mo>{self._tokens[self._at][1]}</mo>"
                self._at += 1
        return f"<mrow>{found}</mrow>"

    def _noted(self, match: re.Match[str]) -> str:
        self._sums.append(f"<munder><mo>∑</mo>{_Parser(match['what'], self._known).all()}</munder>")
        return f"\x00{len(self._sums) - 1}\x00 "

    def _row(self) -> str:
        """Everything up to a closing bracket."""
        parts: list[str] = []
        words = ""
        while self._at < len(self._tokens) and self._tokens[self._at][0] != "close":
            kind, token = self._tokens[self._at]
            if self._is_word(kind, token) or (kind == "space" and words):
                words += token
                self._at += 1
                continue
            parts += [_text(words)] if words else []
            words = ""
            if kind == "space":
                self._at += 1
            elif token == "/" and parts:
                self._at += 1
                self._skip()
                above, below = parts.pop(), self._atom()
                parts.append(f"<mfrac>{_bare(above)}{_bare(below)}</mfrac>")
            else:
                parts.append(self._atom())
        return "".join([*parts, *([_text(words)] if words else [])])

    def _skip(self) -> None:
        while self._at < len(self._tokens) and self._tokens[self._at][0] == "space":
            self._at += 1

    def _is_word(self, kind: str, token: str) -> bool:
        if kind == "word":
            return True
        if kind != "name" or token in _FUNCTIONS or token in _GREEK or "_" in token or self._known(token):
            return False
        following = self._tokens[self._at + 1 : self._at + 3]
        article = token == "a" and len(following) == 2 and following[1][0] == "name" and len(following[1][1]) > 1
        return article or (len(token) > 1 and token.isalpha() and token.islower())

    def _atom(self) -> str:
        """A number, a name with its argument, a group or a sign, with its exponent."""
        if self._at >= len(self._tokens):
            return ""
        kind, token = self._tokens[self._at]
        self._at += 1
        if token == "\x00":
            found = self._sums[int(self._tokens[self._at][1])]
            self._at += 2
            return found
        if kind == "open":
            found = self._group()
        elif kind == "number":
            found = f"<mn>{token}</mn>"
        elif kind == "name":
            found = self._name(token)
            if self._at < len(self._tokens) and self._tokens[self._at][0] == "open":
                self._at += 1
                found = f"<mrow>{found}{self._group()}</mrow>"
        else:
            return f"<mo>{escape(_SIGNS.get(token, token))}</mo>"
        if self._at < len(self._tokens) and self._tokens[self._at][1] == "^":
            self._at += 1
            found = f"<msup>{found}{_bare(self._atom())}</msup>"
        return found

    def _group(self) -> str:
        inside = self._row()
        self._at += 1
        return f'<mrow class="group"><mo>(</mo>{inside}<mo>)</mo></mrow>'

    def _name(self, token: str) -> str:
        if token in _FUNCTIONS:
            return _FUNCTIONS[token]
        if token in _GREEK:
            return f"<mi>{_GREEK[token]}</mi>"
        if (sign := token[-1]) in "'*²":
            above = {"'": "<mo>′</mo>", "*": "<mo>∗</mo>", "²": "<mn>2</mn>"}[sign]
            return f"<msup>{self._name(token[:-1])}{above}</msup>"
        base, below, index = token.rpartition("_")
        if not below or self._known(token):
            return f'<mi mathvariant="normal">{escape(token)}</mi>' if len(token) > 1 else f"<mi>{escape(token)}</mi>"
        return f"<msub>{self._name(base)}{_Parser(index.strip('{}'), self._known).all()}</msub>"


def _text(words: str) -> str:
    inside = escape(" ".join(words.split()))
    return f"<mtext>&#160;{inside}&#160;</mtext>"


def _bare(drawn: str) -> str:
    """The numerator or denominator of a fraction, without its brackets."""
    begin, end = '<mrow class="group"><mo>(</mo>', "<mo>)</mo></mrow>"
    if drawn.startswith(begin) and drawn.endswith(end):
        return f"<mrow>{drawn[len(begin) : -len(end)]}</mrow>"
    return drawn or "<mrow></mrow>"
