"""The site: it builds without a warning, has every page of docs/, and asks no other host for anything."""

import html
import re
import subprocess
import sys
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest
from browser import chromium
from conftest import ROOT, environment

CONFIGURATION = ROOT / "site" / "mkdocs.yml"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder that it is built into."""
    for name in ("material", "mkdocstrings"):
        pytest.importorskip(name, reason="make site installs what builds the site")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(CONFIGURATION), "-d", str(folder)]
    quiet = environment(NO_MKDOCS_2_WARNING="1", PYTHONWARNINGS="default")
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert (0, "") == (done.returncode, done.stdout + done.stderr)
    return folder


@pytest.mark.thorough
def test_every_page_is_in_the_navigation(site):
    pages = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").glob("**/*.md")]
    home = (site / "index.html").read_text(encoding="utf-8")

    assert [] == [page for page in pages if page.name != "README.html" and f'href="{page.as_posix()}"' not in home]


@pytest.mark.thorough
def test_links_are_called_by_the_titles_of_pages(site):
    """No link to a page of docs/ shows the name of its file, and no page shows an escape of Markdown."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert [] == re.findall(r"<a [^>]*>[\w./-]+\.md(?:#[\w-]+)?</a>", text), path
        assert "\\&lt;" not in re.sub(r"(?s)<(pre|code)\b.*?</\1>", "", text), path


@pytest.mark.thorough
def test_every_measure_is_on_the_page_of_its_family_and_the_page_of_all_leads_there(site):
    from irev.measures import MEASURES

    page = (site / "measures.html").read_text(encoding="utf-8")
    for name in MEASURES:
        (path,) = {*re.findall(rf'href="?(measures/[\w-]+\.html)#{re.escape(name.lower())}"?[ >]', page)}
        assert f'id="{name.lower()}"' in (site / path).read_text(encoding="utf-8"), name


@pytest.mark.thorough
def test_links_lead_to_what_the_site_has(site):
    """Whatever a page of the site links to in it is there: pages, pictures, files of the repository, headings."""
    pages = {path.resolve(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    marks = {path: {*re.findall(r'\b(?:id|name)="?([^" >]+)', text)} for path, text in pages.items()}
    astray = set()
    for path, text in pages.items():
        for link in re.findall(r'<(?:a|img|link|script)\b[^>]* (?:href|src)="?([^" >]+)', text):
            parts = urlsplit(html.unescape(link))
            if parts.scheme or path.name in ("404.html", "report.html"):
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.exists() or (parts.fragment and unquote(parts.fragment) not in marks.get(goal, ())):
                astray.add((path.name, link))
    assert set() == astray


@pytest.mark.thorough
def test_the_button_of_a_block_copies_what_is_typed_there(site):
    """Without prompts, and without what is printed; and every block in which somebody types has such a button."""
    page = (site / "preferences.html").read_text(encoding="utf-8")
    first = html.unescape(re.findall(r'<div class="language-console highlight" data-copy="([^"]*)"', page)[0])

    assert ["cat > prefs.txt << 'END'", "q1 ann s1 d01 2"] == first.split("\n")[:2]
    assert "irev eval -R prefs -m prefs -m prefs_pair_ret prefs.txt mine.run" == first.split("\n")[-1]
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert [] == re.findall(r'<div class="language-console highlight">', text), path


@pytest.mark.thorough
def test_no_page_asks_another_host(site):
    asked = re.compile(
        r"<(?:script|img|iframe|source)[^>]* src=\"?(https?:[^\" >]+)|<link[^>]* href=\"?(https?:[^\" >]+)"
    )
    for path in site.rglob("*.html"):
        assert [] == asked.findall(path.read_text(encoding="utf-8")), path


@pytest.mark.thorough
def test_every_public_name_is_in_the_interface(site):
    import irev

    page = (site / "api.html").read_text(encoding="utf-8")
    assert [] == [name for name in irev.__all__ if not re.search(rf'id="irev\.[\w.]*\b{name}"', page)]


@pytest.mark.thorough
def test_formulas_are_set_and_lose_nothing(monkeypatch):
    """A formula has the letters and digits of its line, but for the words of a sum, which are a sign."""
    monkeypatch.syspath_prepend(ROOT / "site")
    import formulas

    from irev.measures import MEASURES

    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^[A-Za-z]\w* = .*$", page)
    drawn = {line: formulas.with_formulas(line, MEASURES.__contains__) for line in lines}
    drawn = {line: found for line, found in drawn.items() if found != line}
    whole = {name: drawn.pop(line) for line in [*drawn] if (name := line.partition(" = ")[0]) in formulas.SUMS}
    assert whole.keys() == formulas.SUMS.keys(), "formulas in whole, of measures that have such a line"
    assert all(found.count("∑") == 2 and "ideal_i:" in found for found in whole.values())
    assert len(drawn) > 80
    for line, found in drawn.items():
        formula, _ = formulas.cut(line)
        text = "".join(ElementTree.fromstring(found.partition("\n\n")[0]).itertext())
        for name, letter in (("alpha", "α"), ("beta", "β"), ("gamma", "γ")):
            formula = re.sub(rf"\b{name}(?![a-z_])", letter, formula)
        expected = formulas.without_sums(formula).replace("²", "2")
        assert letters(expected) == letters(text.replace("∑", "").replace("²", "2")), line


def letters(text: str) -> str:
    """Letters and digits in order of the alphabet: fractions and powers move some."""
    return "".join(sorted(filter(str.isalnum, text)))


def test_a_formula_is_set_as_written_on_paper(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "site")
    from formulas import with_formulas

    known = {"x_cut"}.__contains__
    found = with_formulas("x_cut_k = sum over the ranks i ≤ k of g_i / log2(i + 1). It has p^(i-1).", known)
    assert (
        '<div class="formula"><math display="block"><mrow><msub><mi mathvariant="normal">x_cut</mi><mrow><mi>k</mi>'
        "</mrow></msub><mo>=</mo><munder><mo>∑</mo><mrow><mtext>&#160;ranks&#160;</mtext><mi>i</mi><mo>≤</mo><mi>k</mi>"
        "</mrow></munder><mfrac><msub><mi>g</mi><mrow><mi>i</mi></mrow></msub><mrow><msub><mi>log</mi><mn>2</mn></msub>"
        '<mrow class="group"><mo>(</mo><mi>i</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow></mrow></mfrac></mrow></math>'
        "</div>\n\nIt has p^(i-1)."
    ) == found
    assert "y = 2 is no measure." == with_formulas("y = 2 is no measure.", known)


FOUND = {
    **dict.fromkeys(("significance", "t-test", "p-value", "confidence interval"), "statistics"),
    **dict.fromkeys(("threshold", "baseline"), "check"),
    **dict.fromkeys(("pytest", "github actions", "gitlab"), "ci"),
    **dict.fromkeys(("missing queries", "ties"), "grades"),
    **{"bpref": "measures-for-incomplete-judgments", "map": "average-precision", "ndcg": "cumulative-gain"},
    **{"recall": "precision-and-recall-at-ranks", "trend": "trend", "leaderboard": "report"},
    **{"RAG": "names-elsewhere", "LLM judge": "llm-judge"},
    **{"colab": "python", "compare": "compare", "report": "report", "qrels": "formats", "install": "install"},
    **dict.fromkeys(("permutation test", "click-through rate", "inter-annotator", "known-item"), "glossary"),
    **{"trec_eval": "from-trec-eval", "diversity": "diversity", "interleaving": "online"},
}
"""What newcomers type, and the page that is to be among the first three."""


def first_three(page, word: str) -> list[str]:
    """The first pages that a search for the word finds, by their names."""
    page.click(".md-search__form", force=True)
    page.fill(".md-search__input", "")
    page.wait_for_function("/Type to/.test(document.querySelector('.md-search-result__meta').innerText)")
    page.fill(".md-search__input", word[:-1])
    page.keyboard.type(word[-1])  # a search begins when a key goes up
    page.wait_for_function("/matching/.test(document.querySelector('.md-search-result__meta').innerText)")
    page.wait_for_timeout(200)
    links = page.eval_on_selector_all(
        ".md-search-result__item > a", "found => found.map(each => each.getAttribute('href'))"
    )
    names = [re.sub(r"\.html.*", "", link.rsplit("/")[-1]) for link in links]
    return [*dict.fromkeys(names)][:3]


@pytest.mark.thorough
def test_pages_from_a_disk_are_searched(site):
    with chromium() as browser:
        page = browser.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.wait_for_timeout(500)
        astray = {word: found for word, goal in FOUND.items() if goal not in (found := first_three(page, word))}

        assert {} == astray
        assert [] == [url for url in asked if not url.startswith(("file:", "data:", "about:"))]
