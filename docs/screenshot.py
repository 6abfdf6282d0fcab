"""Draw docs/table.svg, what a terminal shows of a command, drawn by rich from the command's own output;
docs/differences.svg, docs/forest.svg and docs/curves.svg, figures of `irev compare --plot` and `irev curves --plot`;
and docs/report.png, parts of a page of `irev report` as a browser shows them, for which
Playwright and Chromium are.

python docs/screenshot.py    write them; wants a system with pseudo-terminals
"""

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
MEASURES = "-m AP -m RR -m nDCG@5 -m 'P(rel=2)@3'"
COMMAND = f"irev eval -q -f table {MEASURES} --sort AP sample_data/qrels.txt sample_data/keyword.run"
FIGURE = (
    "irev compare -m AP sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run sample_data/semantic.run"
)
CURVES = (
    "irev curves --kind cutoff -m R sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run"
    " sample_data/semantic.run"
)
LLM = "sample_data/llm"
FOREST = f"irev llm-judge -m P@5 {LLM}/llm.txt {LLM}/human.txt {LLM}/bm25.run {LLM}/rerank.run"
REPORT = "irev report sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run sample_data/semantic.run"
TEXTS = "--titles sample_data/topics.tsv --documents sample_data/documents.tsv"
LEFT_OUT = "section:not(#overview, #query), .tools, .warnings, .warnings ~ *, h3:has(+ .warnings), #overview .note"
"""What of the page the picture has not."""

COLUMNS = 80


def shown(command: str) -> str:
    """What the command writes to a terminal, colours included; what it has to say beside that is left out."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        command.replace("irev", f"{sys.executable} -m irev", 1),
        shell=True,
        cwd=ROOT,
        env=environment,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
    ):
        os.close(terminal)
        output = b""
        while data := _read(controller):
            output += data
    return output.decode().replace("\r\n", "\n")


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 1 << 16)
    except OSError:  # the other end was closed
        return b""


def drawing(command: str) -> str:
    """The picture, with no font that a browser would have to fetch."""
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True, legacy_windows=False)  # noqa: SIM115
    prompt = Text.assemble(("$ ", "bold green"), command)
    console.print(prompt)
    console.print(Text.from_ansi(shown(command)))
    svg = console.export_svg(title="irev", unique_id="irev")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def photographed(page: Path, place: str, picture: Path) -> None:
    """A picture of some parts of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1120, "height": 800}, color_scheme="light")
        opened.goto(page.as_uri() + place)
        opened.wait_for_selector("html[data-ready]", state="attached")
        hide = "chosen => { for (const part of document.querySelectorAll(chosen)) part.hidden = true }"
        opened.evaluate(hide, LEFT_OUT)
        opened.evaluate("document.activeElement.blur()")
        opened.screenshot(path=str(picture), full_page=True)
        browser.close()


if __name__ == "__main__":
    (ROOT / "docs" / "table.svg").write_text(drawing(COMMAND), encoding="utf-8", newline="\n")
    shown(f"{FIGURE} --plot docs/differences.svg")
    shown(f"{FOREST} --plot docs/forest.svg")
    shown(f"{CURVES} --plot docs/curves.svg")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "report.html"
        shown(f"{REPORT} {TEXTS} -o {made}")
        photographed(made, "#q=q4&runs=keyword,semantic&m=nDCG%4010", ROOT / "docs" / "report.png")
