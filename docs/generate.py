"""Write the generated pages of this folder.

measures.md comes from the records and docstrings of the measures, differences.md from the records of
tests/differences, and a section of formats.md from the records of formats, errors.md from irev/codes.py.

python docs/generate.py            write them
python docs/generate.py --check    write nothing; a diff, and status 1, when a page is not what it would be
"""

import difflib
import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from irev.codes import CODES, severity
from irev.measures import MEASURES
from irev.measures.measure import Measure
from irev.measures.parameters import NONE
from irev.measures.sets import SETS, TREC_ORDER
from irev.reading.formats import JUDGMENTS, RUNS, Format, listed

DOCS = Path(__file__).resolve().parent
DIFFERENCES = DOCS.parent / "tests" / "differences"
GENERATED = "<!-- Written by docs/generate.py: change {source}, then run `make docs`. -->"

SUMMARIES = {
    "mean": "mean over queries",
    "sum": "sum over queries",
    "geometric mean": "geometric mean over queries",
    "queries": "number of queries",
    "run tag": "run id",
    "judged relevant": "sum over queries",
    "none": "none",
}
"""How `all` is formed, in the words of the page."""

MEASURES_OPENING = """\
# Measures

Every measure that trec_eval 10.0 has for judgments in the format `qrels`, under trec_eval's names. `-m NAME`
asks for one; `-m NAME.PARAMETERS` asks for other parameters than the usual ones, as in `-m P.5,10`. A printed
label such as `P_5` is accepted as a name too, and `-m` may be given several times. Lines come in trec_eval's
order, whatever the order of the requests.

In the definitions, for one query: n is the number of documents retrieved, g_1 … g_n are their grades in rank
order, r_k is the number of relevant documents among the first k, r = r_n, and R is the number of relevant
documents in the judgments, retrieved or not. A document is relevant when its grade is at least the relevance
level, which is 1 unless `-l` says otherwise. Where a definition says that the gain of a document is its grade,
`--gains` may give it another one ([grades.md](grades.md#gains)). [formats.md](formats.md#order) says how results
with equal scores are ordered. A judged query that the run lacks counts only under `-c`, as one with n = 0.

The examples give the grades in rank order: `-` is a document without a judgment, `.` one with a negative
grade, and `|` separates queries.
"""

DIFFERENCES_OPENING = """\
# Differences from trec_eval

irev prints what trec_eval prints, byte for byte, and ends with status 0 when trec_eval does. This page has the
exceptions: inputs for which trec_eval crashes, prints memory that was never set, reads garbage as a number, or
contradicts its own documentation. What does not stand here is meant to be identical, and a difference is a
fault of irev.

Version 10.0 is the one that calls itself 10.0-rc3, and 9.0.8 calls itself 9.0.7. irev prints the numbers of
10.0, and under `--compat 9.0.8` those of 9.0.8. "An error" means one message on standard error, nothing on
standard output, and status 2.

Every row is tried out by the tests of irev; the inputs stand in `tests/differences`.
"""


def measures_page() -> str:
    """One section for each measure, by family, after a table of all."""
    families: dict[str, list[Measure]] = {}
    for name in [*TREC_ORDER, *(name for name in MEASURES if name not in TREC_ORDER)]:
        families.setdefault(MEASURES[name].function.__module__, []).append(MEASURES[name])
    parts = [GENERATED.format(source="the docstrings in irev/measures"), MEASURES_OPENING, *_sets()]
    parts += ["## All measures\n", "| measure | what it is |\n|---|---|"]
    for family in families.values():
        parts += [f"| {_link(m.name)} | {_first_sentence(m)} |" for m in family]
    parts.append("")
    for module, family in families.items():
        parts += _family(module, family)
    return "\n".join(parts)


def _link(name: str) -> str:
    return f"[`{name}`](#{name.lower()})"


def _sets() -> Iterator[str]:
    yield "## Sets\n"
    yield "A name that stands for several measures. Without `-m` it is `official`.\n"
    for name, members in SETS.items():
        yield f"- `{name}`: {', '.join(map(_link, members))}"
    yield ""


def _family(module: str, family: list[Measure]) -> Iterator[str]:
    opening = (inspect.getdoc(sys.modules[module]) or module).split("\n\n")[0]
    title, _, rest = opening.partition(": ")
    yield f"## {title.rstrip('.')}\n"
    if rest:
        yield f"{_markdown(rest[0].upper() + rest[1:])}\n"
    for measure in family:
        yield from _measure(measure)


def _measure(measure: Measure) -> Iterator[str]:
    yield f"### {measure.name}\n"
    for paragraph in inspect.cleandoc(measure.documentation).split("\n\n"):
        yield _markdown(paragraph) + "\n"
    facts = [_parameter(measure), f"Values: {measure.kind}"]
    summary = SUMMARIES[measure.summary]
    facts.append(f"For all queries: {summary}" + ("" if measure.per_query else "; not printed for single queries"))
    if measure.new_in_10:
        facts.append("Not in trec_eval 9.0.8")
    yield "".join(f"- {fact}.\n" for fact in facts)


def _parameter(measure: Measure) -> str:
    if measure.parameter is NONE:
        return "Parameter: none"
    form = f"Parameter: {measure.parameter.form}"
    defaults = [_written(value.value) for value in measure.parameter.defaults]
    return form + (f"; `{measure.name}` alone means {', '.join(defaults)}" if any(defaults) else "")


def _written(value: object) -> str:
    """A parameter as one would type it; nothing for none."""
    if isinstance(value, tuple):
        return ",".join(_written(item) for item in value)
    return f"{value:g}" if isinstance(value, int | float) else ""


def _first_sentence(measure: Measure) -> str:
    return _markdown(inspect.cleandoc(measure.documentation).split("\n\n")[0]).replace("|", "\\|")


def _markdown(paragraph: str) -> str:
    """Plain text on one line, with the signs escaped that Markdown would take for its own."""
    text = " ".join(paragraph.split())
    for sign in "\\*<`":
        text = text.replace(sign, f"\\{sign}")
    return text


def differences_page() -> str:
    """A table for each file of records."""
    lines = [GENERATED.format(source="the records in tests/differences"), DIFFERENCES_OPENING]
    for path in sorted(DIFFERENCES.glob("*.toml")):
        section = tomllib.loads(path.read_text(encoding="utf-8"))
        lines += [f"## {section['title']}\n", section["text"].strip() + "\n"]
        lines += ["| input | trec_eval 10.0 | trec_eval 9.0.8 | irev |\n|---|---|---|---|"]
        for row in section["row"]:
            cells = (" ".join(row[name].split()) for name in ("input", "trec_eval_10", "trec_eval_9", "irev"))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


FORMATS_BEGIN, FORMATS_END = "<!-- formats: begin -->", "<!-- formats: end -->"


def formats_page() -> str:
    """The page as it is, with the section between its two marks written anew."""
    before, _, rest = (DOCS / "formats.md").read_text(encoding="utf-8").partition(FORMATS_BEGIN)
    _, _, after = rest.partition(FORMATS_END)
    lines = [GENERATED.format(source="the records in irev/reading/formats")]
    for title, table in (("Formats of judgments", JUDGMENTS), ("Formats of runs", RUNS)):
        lines += ["", f"### {title}"]
        for form in listed(table):
            recognised = "" if form.recognised is Format.recognised else " Recognised by its content."
            lines += ["", f"**`{form.name}`**: {_markdown(form.description)}{recognised}", ""]
            lines += ["```text", form.example.rstrip("\n"), "```"]
    return f"{before}{FORMATS_BEGIN}\n" + "\n".join(lines) + f"\n{FORMATS_END}{after}"


ERRORS_OPENING = """\
# Errors and warnings

Whatever is wrong with a file has a code, which keeps its meaning in later versions. [`irev validate`](validate.md)
shows codes, and all problems of all files; `irev eval` stops at the earliest line with an error, with the same
sentence.
"""

KINDS_OF_CODE = {
    "E1": ("Errors", "`irev eval` refuses files with these, and `irev validate` reports them."),
    "E3": ("Rules of a track", "Errors too, but only `irev validate` knows the rules, from its options."),
    "W2": ("Warnings", "Legal, and usually a mistake. `irev validate --strict` takes them for errors."),
}
"""Title and opening of the section for codes that begin so."""


def errors_page() -> str:
    """A table of all codes, and a section for each."""
    parts = [GENERATED.format(source="irev/codes.py"), ERRORS_OPENING, "| code | | what it is |\n|---|---|---|"]
    by_code = sorted(CODES.items())
    for code, entry in by_code:
        anchor = f"{code} {entry.title}".lower().replace(" ", "-")
        parts.append(f"| [{code}](#{anchor}) | {severity(code)} | {entry.title} |")
    parts.append("")
    for begins, (title, opening) in KINDS_OF_CODE.items():
        parts.append(f"## {title}\n\n{opening}\n")
        for code, entry in by_code:
            if code.startswith(begins):
                parts += [f"### {code} {entry.title}\n", f"- Example: {entry.example}", f"- Cause: {entry.cause}"]
                parts.append(f"- Remedy: {entry.remedy}\n")
    return "\n".join(parts)


PAGES = {
    "measures.md": measures_page,
    "differences.md": differences_page,
    "formats.md": formats_page,
    "errors.md": errors_page,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    changed = False
    for name, page in PAGES.items():
        path, wanted = DOCS / name, page().rstrip("\n") + "\n"
        found = path.read_text(encoding="utf-8") if path.exists() else ""
        changed |= found != wanted
        if arguments:
            old, new = found.splitlines(), wanted.splitlines()
            print(*difflib.unified_diff(old, new, f"docs/{name}", "what it would be", lineterm=""), sep="\n", end="")
        else:
            path.write_text(wanted, encoding="utf-8", newline="\n")
    return int(bool(arguments) and changed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
