"""Numbers of textbooks: what they work out by hand, irev gives."""

import re

import pytest
from conftest import ROOT

import irev
from irev.measures import parse

HERE = re.findall(r"^\| `([^`]+)`.*\|.*\| .* = ([0-9.]+) \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)


def test_the_table_of_measures_in_the_readme_is_found():
    assert {"P@3", "AP", "DCG@3", "DCG(discount=jarvelin2002)@3", "nDCG@3"} <= {measure for measure, _ in HERE}


@pytest.mark.parametrize(("measure", "expected"), HERE)
def test_the_table_of_measures_in_the_readme_is_right(measure, expected):
    judged = {"q": {"a": 3, "b": 2, "c": 3, "m": 3}}
    result = irev.evaluate(judged, {"q": {"a": 3, "b": 2, "c": 1}}, measure)

    assert expected == f"{result.mean()[measure]:.4f}"


@pytest.mark.parametrize("measure", ["DCG(discount={})@10", "nDCG(discount={},base=10)", "dcg_discount={}"])
def test_the_discount_of_textbooks_has_a_name_that_is_found_and_an_old_one(measure):
    old, new = (parse([measure.format(name)]) for name in ("jk", "jarvelin2002"))

    assert old == new
    assert "discount=jarvelin2002" in new[0].label
