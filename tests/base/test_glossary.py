"""The glossary: lines that can be typed, pages that are there, and one word for one thing."""

import re
import shlex
import shutil

import click
import pytest
from conftest import ROOT

from irev.base import glossary
from irev.cli import command, every_command
from irev.evaluation.comparison.contrasts import NOT_SHOWN
from irev.evaluation.curves.by_run import DOMINATED, FRONT
from irev.measures import parse
from irev.output.report import MARK, RESTS
from irev.output.styles.table import BEST, BESTS

TERMS = glossary.terms()


def heads(page: str) -> set[str]:
    """What a link to a heading of a page may end in."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    titles = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_every_term_leads_to_a_heading_that_is_there():
    pages = [each.page.partition("#") for each in TERMS if each.page]
    assert [] == [(page, head) for page, _, head in pages if head and head not in heads(page)]
    assert [] == [page for page, _, _ in pages if not (ROOT / "docs" / page).exists()]


def test_every_term_is_a_measure_or_says_what_it_is_what_to_type_and_where_to_read():
    assert [] == [each.name for each in TERMS if not (each.measure or (each.says and each.line and each.page))]
    assert [] == [each.name for each in TERMS if each.measure and not parse([each.measure])]


@pytest.mark.parametrize("line", sorted({line for each in TERMS for line in each.lines}))
def test_every_line_of_the_glossary_can_be_typed(irev, line, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "sample_data", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(line)
    done = irev(*words)
    assert ("irev", 0) == (program, done.status), done.stderr


def test_what_a_term_says_is_short():
    assert [] == [each.name for each in TERMS if len(each.says) > 260 or each.says.count(". ") > 1]


def sentences() -> list[tuple[str, str]]:
    """What help says, of every command and option, and what the glossary says itself."""
    found = [(each.name, each.says) for each in TERMS]
    for name in every_command():
        about = command(name)
        found += [(name, about.help or ""), (name, about.get_short_help_str(200))]
        found += [
            (f"{name} {each.opts[0]}", each.help or "") for each in about.params if isinstance(each, click.Option)
        ]
    return found


NAMES = re.compile(r"`[^`]*`|topics: |metrics report")
"""What is called so by others: the files of other programs, and kinds of curves."""


def test_help_uses_one_word_for_one_thing():
    """Nothing that the glossary lists as another word for one of irev's own."""
    others = [word for each in TERMS if each.not_said for word in each.not_said.split(", ")]
    assert {"topic", "assessor", "judgement"} <= {*others}
    spoken = re.compile(rf"\b({'|'.join(others)})\b", re.IGNORECASE)
    found = [(where, spoken.search(NAMES.sub("", said))) for where, said in sentences() if where != "z-score"]
    assert [] == [(where, match[0]) for where, match in found if match]


def test_only_what_users_do_is_called_a_metric():
    metric = re.compile(r"\bmetrics?\b", re.IGNORECASE)
    where = {name for name, said in sentences() if metric.search(NAMES.sub("", said))}
    assert {name for name in where if not name.startswith("online")} == {"measure"}


def test_a_word_leads_to_one_term_and_is_written_once():
    words = [
        glossary.key(word) for each in TERMS for word in {glossary.key(word): word for word in each.words}.values()
    ]
    assert len(words) == len({*words})


@pytest.mark.parametrize(
    "printed", [BEST, BESTS, MARK, RESTS, NOT_SHOWN, "vs best", "[ ]", FRONT, DOMINATED, "unsettled"]
)
def test_words_and_signs_that_tables_print_are_known(irev, printed):
    done = irev("help", printed)
    assert (0, "") == (done.status, done.stderr)
