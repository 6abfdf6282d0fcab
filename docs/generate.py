"""Write the generated pages of this folder.

measures.md comes from the records and docstrings of the measures, and two tables of measure-language.md from those of
modifiers and aggregates, differences.md from the records of tests/differences, a section of formats.md from the records
of formats, errors.md from the files problem_codes.toml, the keys of a configuration in check.md from
irev/cli/check.py, the statuses in exit-status.md from irev/base/exit.py, options.md and the
manual page irev.1 from the commands, and irev/base/extensions.toml from the records of extensions.

python docs/generate.py            write them
python docs/generate.py --check    write nothing; a diff, and status 1, when a page is not what it would be
"""

import difflib
import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from irev import __version__
from irev.base import glossary
from irev.base.exit import MEANINGS
from irev.base.registry import bundled
from irev.base.segments import AGGREGATES
from irev.cli import command, every_command, irev, line_of
from irev.cli.check import KEYS, described
from irev.cli.help import long_names, records, sections
from irev.measures.measure import MEASURES, SETS
from irev.measures.pages import FamilyPage, Page, absent, families, page, written
from irev.measures.request import MODIFIERS, read
from irev.reading.fields import GRADES
from irev.reading.formats import JUDGMENTS, RUNS, Format, listed
from irev.reading.problem_codes import CODES, severity

DOCS = Path(__file__).resolve().parent
DIFFERENCES = DOCS.parent / "tests" / "differences"
GENERATED = "<!-- Written by docs/generate.py: change {source}, then run `make docs`. -->"

MEASURES_OPENING = """\
# Measures

This page has every measure, by family. Each has a name in trec_eval's style and the name that papers and ir_measures
use. `irev eval -m NAME` computes a measure, and `irev measures NAME` prints its section of this page.
[measure-language.md](measure-language.md) has the grammar: parameters, options, and what any measure takes. In
trec_eval's format, its measures come first, in trec_eval's order, and then the others; in all other formats, measures
are in the order in which you name them.

In the definitions, for one query: n is the number of documents retrieved, g_1 … g_n are their grades in rank order,
r_k is the number of relevant documents among the first k, r = r_n, and R is the number of relevant documents in the
judgments, retrieved or not. A document is relevant when its grade is at least the relevance level, which is 1 unless
`-l` says otherwise, or `rel=` for one measure. If a definition says that the gain of a document is its grade,
`--gains` can set another gain ([grades.md](grades.md#gains)). [formats.md](formats.md#order) says how results with
equal scores are ordered. A judged query that the run lacks counts only with `-c`; it then has n = 0.

The examples give the grades in rank order: `-` is a document without a judgment, `.` one with a negative grade, and
`|` separates queries.
"""

DIFFERENCES_OPENING = """\
# Differences from trec_eval

irev prints what trec_eval prints, byte for byte, and ends with status 0 when trec_eval does. This page has the
exceptions: inputs for which trec_eval crashes, prints memory that was never set, reads garbage as a number, or
contradicts its own documentation. In all other cases the output should be identical; any other difference is an error
of irev.

Version 10.0 prints 10.0-rc3 as its version, and 9.0.8 prints 9.0.7. irev prints the numbers of 10.0, and with
`--compat 9.0.8` those of 9.0.8. "An error" means one message on standard error, nothing on standard output, and
status 2.

The tests of irev try every row; the inputs are in `tests/differences`.
"""


OPTIONS_OPENING = """\
# Options

This page has the options of every command, under the headings of `irev COMMAND --help`. Options of many commands are
listed once, [at the end](#options-of-many-commands). Options may be anywhere on the command line. Short options may
be joined (`-qc`) and have their values attached (`-M100`). One file may be `-`, standard input. Three arguments mean
several runs: `@FILE`, a list with a path on each line; a folder, with all files in it (irev waits for a named pipe
there); and a pattern in quotation marks, `'runs/*.parquet'`, with all files that match. A folder or pattern of Parquet
files named `part-…` is [one run](formats.md#other-formats). `NAME=FILE` in the place of a run gives it a name.
trec_eval's long names are accepted. An option is refused if another option that it needs is missing, and together with
an option that leaves it without effect.

Environment variables: `IREV_ALLOW_LARGE=1` also reads files that decompress to more than 256 MB and 200 times their
size, and values of JSON above 64 MB. `IREV_PROGRESS=0` shows no progress, which only terminals show.
`IREV_TRACEBACK=1` prints a traceback of an internal error. `NO_COLOR=1` prints no colours.
"""


def options_page() -> str:
    """A section for each command, with its options in tables; what is alike in many of them stands once, at the end."""
    parts = [GENERATED.format(source="the options in irev/cli"), OPTIONS_OPENING]
    tables = {name: [*_tables(name)] for name in every_command()}
    times = Counter(row for found in tables.values() for _, rows in found for row in rows)
    shared: dict[str, list[tuple[str, str]]] = {}
    for name, headed in tables.items():
        found = command(name)
        ctx = click.Context(found, info_name=name, parent=click.Context(irev, info_name="irev"))
        usage = " ".join(found.collect_usage_pieces(ctx))
        parts += [f"## irev {name}\n", f"`irev {name} {usage}`\n", f"{cleandoc(found.help or '')}\n"]
        also = []
        for heading, rows in headed:
            own = [row for row in rows if times[row] < MANY]
            also += [row[0] for row in rows if row not in own]
            shared.setdefault(heading, []).extend(row for row in rows if row not in own)
            parts += _table(heading, own)
        if also:
            taken = ", ".join(f"`{_flag(option)}`" for option in also)
            parts.append(f"And [as in many commands](#options-of-many-commands): {taken}\n")
        own_names = ", ".join(f"`{long}` (`{short}`)" for long, short in long_names(found))
        parts += [f"trec_eval's own names: {own_names}\n"] if own_names else []
    parts += ["## Options of many commands\n", "Where a command takes these, they mean this.\n"]
    for heading, rows in shared.items():
        parts += _table(heading, [*dict.fromkeys(rows)])
    return "\n".join(parts)


MANY = 4
"""Commands from which on an option that they have alike stands at the end of the page."""


def _tables(name: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The options of a command under each heading: how each is written, and what it means."""
    found = command(name)
    rows = records(found, click.Context(found, info_name=name, parent=click.Context(irev, info_name="irev")))
    for heading, parameters in sections(found):
        yield heading, [rows[parameter] for parameter in parameters]


def _table(heading: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    return [
        f"| {heading} | |\n|---|---|",
        *(f"| `{_literal(option)}` | {_literal(meaning)} |" for option, meaning in rows),
        "",
    ]


def _flag(written: str) -> str:
    """The long name of an option: ``--ties`` of ``--ties [docid-desc|…]``, or the short one where there is no other."""
    return next((word for word in written.replace(",", " ").split() if word.startswith("--")), written.split()[0])


def manual_page() -> str:
    """``man irev``: what it is, and a section for each command with its options."""
    lines = [f'.TH IREV 1 "" "irev {__version__}"', ".SH NAME", _roff(f"irev - {_first(irev.help or '')}")]
    lines += [".SH SYNOPSIS", r"\fBirev\fR \fICOMMAND\fR [\fIOPTIONS\fR] \fIFILES\fR", ".SH COMMANDS"]
    for name in every_command():
        lines += [".TP", rf"\fBirev {_roff(name)}\fR", _roff(line_of(name))]
    for name in every_command():
        found = command(name)
        ctx = click.Context(found, info_name=name, parent=click.Context(irev, info_name="irev"))
        lines += [_roff_heading(f"irev {name}"), _roff(f"irev {name} {' '.join(found.collect_usage_pieces(ctx))}")]
        for paragraph in cleandoc(found.help or "").split("\n\n"):
            lines += [".PP", _roff(paragraph)]
        rows = records(found, ctx)
        for heading, parameters in sections(found):
            if shown := [rows[parameter] for parameter in parameters]:
                lines.append(f".SS {_roff(heading)}")
                for option, meaning in shown:
                    lines += [".TP", rf"\fB{_roff(option)}\fR", _roff(meaning)]
    lines.append(".SH EXIT STATUS")
    for number, (said, _) in MEANINGS.items():
        lines += [".TP", rf"\fB{number}\fR", _roff(said)]
    return "\n".join(lines)


def _first(text: str) -> str:
    return cleandoc(text).partition("\n\n")[0]


def _roff_heading(text: str) -> str:
    return f".SH {_roff(text).upper()}"


def _roff(text: str) -> str:
    """Text as roff has it, in one line that is no request, in ASCII."""
    escaped = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
    escaped = "".join(each if each.isascii() else rf"\[u{ord(each):04X}]" for each in escaped)
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped


def measures_page() -> str:
    """One section for each measure, by family, after a table of all, and the names that other tools have for them."""
    everything = families()
    parts = [GENERATED.format(source="the docstrings in irev/measures"), MEASURES_OPENING, *_sets()]
    parts += ["## All measures\n", "| measure | in papers | what it is |\n|---|---|---|"]
    for family in everything:
        for measure in family.measures:
            shown = page(measure)
            parts.append(f"| {_link(shown.name)} | `{shown.written[1]}` | {_cell(shown.summary)} |")
    parts.append("")
    for family in everything:
        parts += _family(family)
    parts += [*_other_names(everything), *_absent()]
    return "\n".join(parts)


def _link(name: str) -> str:
    return f"[`{name}`](#{name.lower()})"


def _sets() -> Iterator[str]:
    yield "## Sets\n"
    yield "A name that stands for several measures. Without `-m` it is `official`.\n"
    for name, members in SETS.items():
        yield f"- `{name}`: {', '.join(map(_link, members))}"
    yield ""


def _family(family: FamilyPage) -> Iterator[str]:
    yield f"## {family.title}\n"
    if family.opening:
        yield f"{_markdown(family.opening)}\n"
    for measure in family.measures:
        yield from _measure(page(measure))


def _measure(page: Page) -> Iterator[str]:
    yield f"### {page.name}\n"
    yield f"{_markdown(page.summary)}\n"
    for paragraph in page.definition:
        yield f"{_markdown(paragraph)}\n"
    parts = [("Parameters", text) for text in page.parameters]
    parts += [("Elsewhere", text) for text in page.elsewhere]
    parts += [(label, text) for label, text in (("Source", page.source), ("Example", page.example)) if text]
    for label, text in parts:
        yield f"{label}: {_markdown(text)}\n"
    yield "".join(f"- {label}: {text}.\n" for label, text in _facts(page))


def _facts(page: Page) -> Iterator[tuple[str, str]]:
    yield "In papers", f"`{page.written[1]}`"
    if page.form:
        alone = f"; `{page.name}` alone means {', '.join(page.defaults)}" if page.defaults else ""
        yield "Parameter", page.form + alone
    for option in page.options:
        yield f"Option `{option.name}`", f"{option.form}; {option.default or 'none'} unless given"
    if page.cutoff and page.cutoff != page.name:
        yield "At a cutoff", f"it is {_link(page.cutoff)}"
    elif page.cutoff and not page.form.startswith("cutoffs"):
        yield "At a cutoff", "{} or {} uses only the first 10 results".format(*(f"`{n}`" for n in page.at_10))
    if page.judgments != GRADES:
        yield "Judgments", f"of {page.judgments}"
    yield "Values", page.kind + ("" if page.per_query else "; not printed for single queries")
    yield "For all queries", page.aggregate
    yield "Bounds", page.bounds
    yield "Ties", page.ties
    yield "trec_eval", f"in {' and '.join(page.trec_eval)}" if page.trec_eval else "does not have it"


def _other_names(everything: list[FamilyPage]) -> Iterator[str]:
    """A table of what other tools call the measures."""
    rows: dict[tuple[str, str], list[str]] = {}
    for family in everything:
        for measure in family.measures:
            for alias in page(measure).also:
                chosen = " ".join(f"`{key}={value}`" for key, value in alias.options)
                shown = f"`{alias.name}`" + (f" (with {chosen})" if chosen else "")
                rows.setdefault((measure.name, alias.tool), []).append(shown)
    tools = sorted({tool for _, tool in rows}, key=str.lower)
    yield "## Names in other tools\n"
    yield (
        "ir_measures uses the names of papers, where it has the measure; its other names stand here, and so do those of"
        " other tools. `-m` takes them all, with what stands between brackets chosen for you. Where the numbers differ,"
        " the section of the measure says so. One more is ranx's `rbp.95`: `rbp` with `p=0.95` and `gmax=1`.\n"
    )
    yield f"| measure | in papers | {' | '.join(tools)} |\n|{'---|' * (len(tools) + 2)}"
    for family in everything:
        for measure in family.measures:
            cells = ["<br>".join(rows.get((measure.name, tool), [])) for tool in tools]
            if any(cells):
                yield f"| {_link(measure.name)} | `{written(measure)[1]}` | {' | '.join(cells)} |"
    yield ""


def _absent() -> Iterator[str]:
    yield "## Not there yet\n"
    yield "Measures that people look for, and that irev does not have; their names are refused.\n"
    for family in absent():
        title, _, names = family.partition(": ")
        yield f"- {title}: {', '.join(f'`{name}`' for name in names.split(', '))}"
    yield ""


def _literal(text: str) -> str:
    """Text that is Markdown already, in a cell."""
    return text.replace("|", "\\|").replace("<", "&lt;") if "`" not in text else text.replace("|", "\\|")


def _cell(text: str) -> str:
    return _markdown(text).replace("|", "\\|")


def _markdown(paragraph: str) -> str:
    """Plain text on one line, with the signs escaped that Markdown would take for its own."""
    text = " ".join(paragraph.split())
    for sign in "\\*<`":
        text = text.replace(sign, f"\\{sign}")
    return text


VERSIONS = {"trec_eval_10": "trec_eval 10.0", "trec_eval_9": "trec_eval 9.0.8"}
"""The columns of a table of differences between input and irev, unless its section names others."""


def differences_page() -> str:
    """A table for each file of records."""
    lines = [GENERATED.format(source="the records in tests/differences"), DIFFERENCES_OPENING]
    for path in sorted(DIFFERENCES.glob("*.toml")):
        section = tomllib.loads(path.read_text(encoding="utf-8"))
        lines += [f"## {section['title']}\n", section["text"].strip() + "\n"]
        columns = {"input": "input", **section.get("columns", VERSIONS), "irev": "irev"}
        lines += ["| " + " | ".join(columns.values()) + " |\n" + "|---" * len(columns) + "|"]
        for row in section["row"]:
            cells = (" ".join(row[name].split()) for name in columns)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


def _between(page: str, name: str, source: str, made: str) -> str:
    """The page as it is, with what stands between its two marks of that name written anew."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{GENERATED.format(source=source)}\n{made}{end}{after}"


def _present(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def formats_page() -> str:
    """A section for each format."""
    lines = []
    for title, table in (("Formats of judgments", JUDGMENTS), ("Formats of runs", RUNS)):
        lines += ["", f"### {title}"]
        for form in listed(table):
            recognised = "" if form.recognised is Format.recognised else " Recognised by its content."
            lines += ["", f"**`{form.name}`**: {_markdown(form.description)}{recognised}", ""]
            lines += ["```text", form.example.rstrip("\n"), "```"]
    return _between(_present("formats.md"), "formats", "the records of formats", "\n".join(lines) + "\n")


def language_page() -> str:
    """Two tables of names."""
    page = _present("measure-language.md")
    aggregates = {name: meaning for name, (meaning, _) in AGGREGATES.items()}
    aggregates["q25"] = "a quantile: a quarter of the queries lie below it; likewise any percentage"
    tables = (
        ("modifiers", MODIFIERS, "irev/measures/request.py"),
        ("aggregates", aggregates, "irev/base/segments.py"),
    )
    for name, table, source in tables:
        rows = "".join(f"| `{key}` | {_cell(meaning)} |\n" for key, meaning in table.items())
        page = _between(page, name, source, f"| name | what it is |\n|---|---|\n{rows}")
    return page


def check_page() -> str:
    """The table of keys."""
    rows = "".join(f"| `{key}` | {described(kind)} | {meaning} |\n" for key, (kind, meaning) in KEYS.items())
    table = f"| key | its value | what it says |\n|---|---|---|\n{rows}"
    return _between(_present("check.md"), "keys", "irev/cli/check.py", table)


def status_page() -> str:
    """The table of exit statuses."""
    when = {number: (said + more).replace("|", "\\|") for number, (said, more) in MEANINGS.items()}
    rows = "".join(f"| {number} | {cell} |\n" for number, cell in when.items())
    table = f"| status | when |\n|---|---|\n{rows}"
    return _between(_present("exit-status.md"), "statuses", "irev/base/exit.py", table)


ERRORS_OPENING = """\
# Errors and warnings

Every problem of a file has a code, which keeps its meaning in later versions. [`irev validate`](validate.md) shows
the codes and all problems of all files. `irev eval` stops at the earliest line with an error, with the same sentence.
"""

KINDS_OF_CODE = {
    "E1": ("Errors", "`irev eval` refuses files with these, and `irev validate` reports them."),
    "E3": ("Rules of a track", "These are errors too, but only `irev validate` knows the rules, from its options."),
    "W2": ("Warnings", "Allowed, but usually a mistake. `irev validate --strict` treats them as errors."),
}
"""Title and opening of the section for codes that begin so."""


def errors_page() -> str:
    """A table of all codes, and a section for each."""
    parts = [
        GENERATED.format(source="irev/reading/problem_codes.toml"),
        ERRORS_OPENING,
        "| code | | what it is |\n|---|---|---|",
    ]
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


GLOSSARY_OPENING = """\
# Glossary

This page has the words of textbooks and papers: the meaning of each, a command for it, and the page that explains
more. The files in the commands are in [sample_data](../sample_data/README.md). `irev help WORD` prints an entry, and
also finds commands, options, measures and formats: `irev help sign test`, `irev help --baseline`.
"""

WORDS_OPENING = """\
## Words of irev

Help, messages and these pages use each of these words with one meaning. They do not use the words in the last column
for it.
"""


def glossary_page() -> str:
    """The words that the program uses, the measures by what else they are called, and all other terms."""
    parts = [GENERATED.format(source="irev/base/glossary.toml"), GLOSSARY_OPENING, WORDS_OPENING]
    parts.append("| word | meaning | not |\n|---|---|---|")
    parts += [f"| {term.name} | {_literal(term.says)} | {term.not_said} |" for term in glossary.words()]
    parts += ["", "## Measures in other words\n", "| in words | `-m` takes | also |\n|---|---|---|"]
    for term in glossary.terms():
        if term.measure:
            measure = read(term.measure)[0].measure.name
            parts.append(f"| {term.name} | [`{term.measure}`](measures.md#{measure.lower()}) | {_cell(term.also)} |")
    parts += ["", "## Terms\n"]
    for term in glossary.terms():
        if not term.measure:
            also = ", ".join(filter(None, (term.also, term.not_said)))
            parts += [f"### {term.name}\n", f"{term.says}\n", *([f"Also: {_markdown(also)}.\n"] if also else [])]
            parts += ["```sh", term.line, "```\n", f"More: [{term.page}]({term.page})\n"]
    return "\n".join(parts)


def extensions_table() -> str:
    """What the extensions of irev have, for what is said where one was deleted."""
    parts = ["# What the extensions of irev have, written by docs/generate.py: what is said where one was deleted."]
    command = [sys.executable, "-c", _FORMATS_OF_EXTENSIONS]
    formats = json.loads(subprocess.run(command, cwd=DOCS.parent, stdout=subprocess.PIPE, check=True).stdout)
    for each in bundled():
        measures = [one for one in MEASURES.values() if one.function.__module__.startswith(f"{each.package}.")]
        names = sorted({name for one in measures for name in (one.name, one.standard)})
        had = {"commands": [*each.commands], "functions": [*each.functions], "measures": names}
        had |= {"formats": formats[each.name], "provides": each.provides}
        parts += [f"[{each.name}]", *(f"{kind} = {json.dumps(of_kind)}" for kind, of_kind in had.items())]
    return "\n".join(parts)


_FORMATS_OF_EXTENSIONS = """
import json
from importlib import import_module
from irev.base import registry

several, registry.bundled = registry.bundled(), tuple
from irev.reading.formats import JUDGMENTS, RUNS

known, found = {*JUDGMENTS, *RUNS}, {}
for each in several:
    for module in each.formats:
        import_module(f"{each.package}.{module}")
    found[each.name] = sorted({*JUDGMENTS, *RUNS} - known)
    known |= {*found[each.name]}
print(json.dumps(found))
"""
"""Prints the names of the formats of each extension: the tables tell whose they are only by what is new."""


PAGES = {
    "../irev/base/extensions.toml": extensions_table,
    "irev.1": manual_page,
    "options.md": options_page,
    "measures.md": measures_page,
    "measure-language.md": language_page,
    "differences.md": differences_page,
    "formats.md": formats_page,
    "errors.md": errors_page,
    "check.md": check_page,
    "exit-status.md": status_page,
    "glossary.md": glossary_page,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    changed = False
    for name, make in PAGES.items():
        path, wanted = DOCS / name, make().rstrip("\n") + "\n"
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
