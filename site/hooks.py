"""The parts of the site outside docs/: other pages of the repository, the Python interface, and a gallery.

Pages of the repository stay unchanged: links that lead out of docs/ are changed here to the site's own pages and files.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from families import PAGE, Family, families, page_of, slug, without_families  # noqa: E402 - these stand beside this file
from formulas import with_formulas  # noqa: E402

from irev.measures import MEASURES  # noqa: E402

ROOT = HERE.parent
PAGES = (
    *("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "sample_data/README.md"),
    *("tests/cases/README.md", "tests/differences/README.md", "tests/golden/README.md"),
)
"""Pages from outside docs/, by their paths in the repository."""

HOMES = {"README.md": "index.md", "docs/README.md": "contents.md"}

CSS = """
.md-typeset table:not([class]) { font-size: 0.68rem; }
.md-typeset table:not([class]) th { min-width: 0; }
.md-typeset pre > code { font-size: 0.72em; line-height: 1.25; }
.md-grid { max-width: 75rem; }
.formula { overflow-x: auto; margin: 0.8em 0; font-size: 1.1em; }
.formula mfrac > * { math-style: normal; }
@media print, (min-width: 45em) { .md-typeset table:not([class]) code { word-break: normal; } }
@media print { .md-clipboard, .md-code__nav, .md-source-file, .md-footer { display: none; } }
@media print { #answers { break-before: page; } }
"""

FROM_DISK = "search_from_disk.js"
SHIM = "https://unpkg.com/iframe-worker/shim"
"""The script that the theme would load on pages from a disk."""

WEIGHTS = {
    "statistics.md": 30.0,
    **dict.fromkeys(("compare.md", "check.md", "report.md"), 5.0),
    **dict.fromkeys(("grades.md", "formats.md"), 4.0),
    "install.md": 2.0,
    "measures/precision-and-recall-at-ranks.md": 0.5,  # of which much is P
    "preferences.md": 0.3,  # of which much is p
    "glossary.md": 1.6,
    **dict.fromkeys(("errors.md", "options.md", "gallery.md", "api.md", "benchmarks/README.md"), 0.02),
    **dict.fromkeys(("CHANGELOG.md", "CONTRIBUTING.md", "tests/cases/README.md", "tests/golden/README.md"), 0.02),
}
"""Weights of pages in a search, if not 1: the best page about a word is seldom the page that has it most often."""

FIGURES = {
    "all topics, by run": ("--kind", "topics", "-m", "AP"),
    "values by cutoff": ("--kind", "cutoff", "-m", "nDCG"),
    "interpolated precision at recall": ("--kind", "recall-precision"),
    "how values are spread": ("--kind", "distribution", "-m", "AP"),
}
QRELS = "sample_data/qrels.txt"
RUNS = ("sample_data/keyword.run", "sample_data/semantic.run", "sample_data/hybrid.run")

_LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")
_WITHIN = re.compile(r"(?<=\]\()(?=#)")
_NAMED = re.compile(r"\[(?:[\w./-]+\.md|[\w./-]*\.md#[\w-]+)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")
"""A link, a link to a heading of its own page, and a link whose text is its target."""

_CODE = re.compile(r"(?ms)^```.*?^```$|`[^`\n]*`")


def on_config(config: Any) -> Any:
    """Put pages that the navigation does not name at the end of its section on how to do things."""
    written = (HERE / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    named = set(re.findall(r"[\w/.-]+\.md", written))
    pages = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("**/*.md"))
    others = next(each["How to"] for each in config.nav if "How to" in each)
    others += [page for page in pages if page not in named and page != "README.md"]
    reference = next(each["Reference"] for each in config.nav if "Reference" in each)
    reference[reference.index(PAGE)] = {"Measures": [PAGE, *({each.title: each.path} for each in _families())]}
    return config


@cache
def _families() -> list[Family]:
    return families((ROOT / "docs" / PAGE).read_text(encoding="utf-8"))


def on_files(files: Files, *, config: Any) -> Files:
    """Add what is not in docs/. The index of docs/ becomes a page of its own, and the README becomes the home page."""
    contents = files.get_file_from_path("README.md")
    if contents is not None:
        files.remove(contents)
        files.append(File.generated(config, "contents.md", content=contents.content_string))
    for family in _families():
        files.append(File.generated(config, family.path, content=family.content))
    for path in PAGES:
        files.append(File.generated(config, path, content=(ROOT / path).read_text(encoding="utf-8")))
    home = (ROOT / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=home.replace("](docs/", "](")))
    files.append(File.generated(config, "irev.css", content=CSS))
    files.append(File.generated(config, FROM_DISK, content=(HERE / FROM_DISK).read_text(encoding="utf-8")))
    files.append(File.generated(config, "api.md", content=_interface()))
    gallery = [
        "# Gallery",
        "",
        "The command above a picture draws it from `sample_data`. [A report](gallery/report.html) has the same data.",
        "",
    ]
    for number, (name, words) in enumerate(FIGURES.items()):
        picture = _made("svg", "curves", *words, option="--plot")
        files.append(File.generated(config, f"gallery/{number}.svg", content=picture))
        command = " ".join(("irev curves", *words, "--plot figure.svg", QRELS, *RUNS))
        gallery += [
            f"## {name[0].upper()}{name[1:]}",
            "",
            f"```sh\n{command}\n```",
            "",
            f"![{name}](gallery/{number}.svg)",
            "",
        ]
    files.append(File.generated(config, "gallery.md", content="\n".join(gallery)))
    files.append(File.generated(config, "gallery/report.html", content=_made("html", "report")))
    for path in _linked(files):
        files.append(File.generated(config, path, content=(ROOT / path).read_bytes()))
    return files


def _linked(files: Files) -> list[str]:
    """Files of the repository that pages link to, except pages."""
    known = {file.src_uri for file in files}
    found = set()
    for file in files.documentation_pages():
        for _, target, _ in _LINK.findall(file.content_string):
            path = _in_repository(file.src_uri, target)
            if path and path not in known and (ROOT / path).is_file() and not path.endswith(".md"):
                found.add(path)
    return sorted(found)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Change links out of docs/ to the site's own pages and files, and set the page's weight in a search."""

    if page.file.src_uri == PAGE:
        markdown = without_families(markdown)
    if page.file.src_uri == PAGE or page.file.src_uri.startswith("measures/"):
        markdown = _WITHIN.sub(PAGE, markdown)
    markdown = _NAMED.sub(lambda match: _titled(match, page.file.src_uri, files), markdown)
    pages = {family.path: family.anchors for family in _families()}

    def turned(match: re.Match[str]) -> str:
        begin, target, anchor = match.groups()
        path = _in_repository(page.file.src_uri, target)
        if path is None:
            return match[0]
        path = HOMES.get(path, path.removeprefix("docs/"))
        if path == PAGE and anchor:
            path = page_of(anchor[1:], pages)
        if files.get_file_from_path(path) is None:
            return match[0]
        near = os.path.relpath(path, os.path.dirname(page.file.src_uri) or ".").replace(os.sep, "/")
        return f"{begin}{near}{anchor or ''})"

    if page.file.src_uri.startswith("measures/"):
        markdown = with_formulas(markdown, MEASURES.__contains__)
    markdown = _outside_code(markdown, lambda text: text.replace("\\<", "&lt;"))
    if (weight := WEIGHTS.get(page.file.src_uri)) is not None:
        page.meta["search"] = {"boost": weight}
    return _LINK.sub(turned, markdown)


def _titled(match: re.Match[str], page: str, files: Files) -> str:
    """A link whose text is the title of its target page, and of the heading there."""
    target, anchor = match.groups()
    path = _in_repository(page, target)
    file = files.get_file_from_path(HOMES.get(path, path.removeprefix("docs/"))) if path else None
    if file is None:
        return match[0]
    headings = re.findall(r"(?m)^#+ (.+)$", _CODE.sub("", file.content_string))
    title = headings[0] if headings else target
    under = next((each for each in headings[1:] if anchor and slug(each) == anchor[1:]), "")
    return f"[{title}{f': {under}' if under else ''}]({target}{anchor or ''})"


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """A page with everything changed except code."""
    found, at = [], 0
    for code in _CODE.finditer(markdown):
        found += [change(markdown[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*found, change(markdown[at:])])


PROMPTS = {"console": ("$ ", "> "), "python": (">>> ", "... ")}
"""The prompts in blocks with typed commands: before a line, and before its continuation."""


def on_page_content(content: str, *, page: Any, config: Any, files: Files) -> str:
    """Make the copy buttons of these blocks copy only what is typed, without prompts and output."""
    for language, prompts in PROMPTS.items():
        blocks = re.findall(rf"^```{language}\n(.*?)^```$", page.markdown, re.MULTILINE | re.DOTALL)
        first, *parts = content.split(opening := f'<div class="language-{language} highlight">')
        if len(parts) == len(blocks):
            copied = (f' data-copy="{escape(_typed(block, *prompts))}">' for block in blocks)
            marked = (opening[:-1] + copy + part for copy, part in zip(copied, parts, strict=True))
            content = first + "".join(marked)
    return content


def _typed(block: str, begin: str, on: str) -> str:
    typing, found = False, []
    for line in block.splitlines():
        typing = line.startswith(begin) or (typing and f"{line} ".startswith(on))
        if typing:
            found.append(line[len(begin) :])
    return "\n".join(found) or block


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Keep search on pages from a disk off the network: the theme would load a script for it from another host."""
    return output.replace(SHIM, "../" * page.file.src_uri.count("/") + FROM_DISK)


def on_post_template(output_content: str, *, template_name: str, config: Any) -> str:
    """The same for files that are not pages of docs/, such as the page for a missing address."""
    return output_content.replace(SHIM, FROM_DISK)


def on_post_build(*, config: Any) -> None:
    """Mend the search of the theme: lunr takes parts of words with digits, such as P@5=0.02, for others, and then fails
    on every word that begins alike. What follows each letter of its keys is a number, so a mark behind it parts them.
    """
    (worker,) = Path(config.site_dir).glob("assets/javascripts/workers/search.*.min.js")
    code, times = re.subn(r"e=e\+(\w)\+(\w)\.id\}return e\}", r"e=e+\1+\2.id+','}return e}", worker.read_text("utf-8"))
    if times != 1:
        raise ValueError("the search of the theme is not the one that this mends")
    worker.write_text(code, "utf-8")


def _in_repository(page: str, target: str) -> str | None:
    """The target of a link as a path of the repository; None if there is no such file."""
    homes = {there: path for path, there in HOMES.items()}
    here = page if page in PAGES else homes.get(page, f"docs/{page}")
    for base in (os.path.dirname(here), "docs"):
        path = os.path.normpath(os.path.join(base, target)).replace(os.sep, "/")
        if (ROOT / path).exists():
            return path
    return None


def _interface() -> str:
    """A page with the docstring of every public name of the package."""
    import irev

    lines = [
        "# Interface",
        "",
        "This page has the docstring of every public name of `irev`; [python.md](python.md) has examples.",
        "",
    ]
    for name in irev.__all__:
        value = getattr(irev, name)
        lines += [f"::: {getattr(value, '__module__', 'irev')}.{name}", ""]
    return "\n".join(lines)


def _made(ending: str, *words: str, option: str = "-o") -> str:
    """The file that a command makes from the sample data."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"made.{ending}")
        line = [sys.executable, "-m", "irev", *words, option, path, QRELS, *RUNS]
        subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
        return Path(path).read_text(encoding="utf-8")
