"""A real browser for tests of pages: Chromium, of the system or Playwright's own. Without one they are skipped."""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking")
"""As root in a container it would not start otherwise."""

READY = "html[data-ready]"
"""What the page's script says when it is done."""

AXE = Path("node_modules") / "axe-core" / "axe.min.js"


@contextlib.contextmanager
def chromium() -> Iterator[object]:
    """The browser. Skips where there is none, and says what to install."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("Playwright is not installed: pip install playwright")
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = "/tmp"  # a socket of the browser has a path of some hundred bytes at most
    try:
        with sync_playwright() as playwright:
            found = next(filter(None, map(shutil.which, NAMES)), None)
            own = playwright.chromium.executable_path
            if found is None and not os.path.exists(own):
                pytest.skip("there is no browser: apt-get install chromium, or playwright install chromium")
            browser = playwright.chromium.launch(executable_path=found or own, args=[*ARGUMENTS])
            yield browser
            browser.close()
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before


def axe() -> str:
    """The script of axe-core, which looks for what keeps people from using a page. Skips where there is none."""
    for place in (Path(__file__).parent.parent / ".venv", Path(sys.prefix)):
        if (found := place / AXE).is_file():
            return found.read_text(encoding="utf-8")
    pytest.skip("axe-core is not there: npm install --prefix .venv axe-core")
