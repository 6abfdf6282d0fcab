"""Figures of comparisons: what they show, that names are text in them, and that odd data are drawn too."""

import math
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from irev.base.errors import IrevError, UsageError
from irev.base.text import named as seen
from irev.evaluation.curves.by_query import sorted_differences
from irev.output.figures import ENDINGS, MOST_BELOW, MOST_ESTIMATED, Estimate, Estimated, Form, figure_of_estimates
from irev.output.figures.charts import thinned
from irev.output.figures.svg import ends_of

pytestmark = pytest.mark.thorough

CAPTION = "Means with 95% intervals <t> & bars."
HOSTILE = "$x_2$ <b>&amp; \x1b[2J \N{RIGHT-TO-LEFT OVERRIDE}x --> \\frac{1}{2}"
SEEN = r"$x_2$ <b>&amp; \x1b[2J \u202ex --> \frac{1}{2}"
ENDING = pytest.mark.parametrize("ending", ENDINGS)


def panel(differences, run="dense", baseline="bm25", measure="nDCG@10", interval=(-0.1, 0.2), mean=None, margin=None):
    """A mean difference, None where it is no number, and the differences of queries, as `irev compare` draws them."""
    values = np.array(differences, dtype=np.float64)
    if mean is None:
        mean = float(values.mean()) if len(values) else math.nan
    queries = [b"q%d" % place for place in range(len(values))]
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    outcomes = wins, len(values) - wins - losses, losses
    below = sorted_differences(measure, (baseline, run), queries, (np.zeros(len(values)), values), interval, outcomes)
    if not math.isfinite(mean):
        return None, below
    title, name = f"{seen(measure)}, mean difference", f"{seen(run)} − {seen(baseline)}"
    return Estimated(title, name, (Estimate("", mean, interval),), True, margin), below


def figure(panels, form, caption):
    numbers = [each for each, _ in panels if each is not None]
    return figure_of_estimates(numbers, form, caption, [below for _, below in panels])


PLAIN = [panel([0.5, -0.25, 0.0, 0.1], margin=0.05), panel([-0.5, -0.25, 0.0, 0.1], run="rm3", interval=(-0.4, -0.1))]

ODD = {
    "one query": [panel([0.5], interval=None)],
    "two queries": [panel([0.5, -0.2])],
    "no query": [panel([], interval=None)],
    "no difference": [panel([0.0] * 50, interval=(0.0, 0.0))],
    "no difference and no interval": [panel([0.0] * 50, interval=None)],
    "a tiny difference": [panel([1e-12, 0.0, 1.0], interval=None)],
    "no number": [panel([math.inf, -math.inf, math.nan, 2.0], interval=None, mean=math.nan)],
    "infinite": [panel([math.inf, 1.0], interval=None, mean=math.inf)],
    "very large": [panel([1e6, -3e6, 10.0], interval=(-2e6, 1e6))],
    "many queries": [panel(np.sin(np.arange(7000.0)))],
    "many pairs": [panel([0.1, -0.1], run=f"r{i}", baseline=f"b{j}") for i in range(6) for j in range(5)],
    "very many pairs": [panel([0.1, -0.1], run=f"r{i}") for i in range(100)],
    "long names": [panel([0.1], run="r" * 300, baseline="b b" * 100), panel([0.1], run="a-" * 30, baseline="c")],
    "hostile names": [panel([0.1], run=HOSTILE, baseline=HOSTILE, measure=HOSTILE)],
    "other scripts": [panel([0.1], run="日本語", baseline="שלום")],
    "broken UTF-8": [panel([0.1], run="a\udcff")],
}


def test_an_axis_shows_zero_the_means_their_intervals_and_the_margin():
    def span(*panels):
        return ends_of([number for number, _ in panels])

    assert (-0.1, 0.2) == span(panel([0.1], interval=(-0.1, 0.2)))
    assert (0.0, 0.3) == span(panel([0.3], interval=None))
    assert (-0.5, 0.5) == span(panel([0.1], interval=(-0.1, 0.2), margin=0.5))
    assert (-0.4, 0.7) == span(panel([0.1], interval=(-0.4, 0.2)), panel([0.7], interval=None))
    assert (-0.5, 0.5) == span(panel([0.0], interval=None))


@ENDING
def test_the_same_panels_give_the_same_figure(ending):
    drawn = figure(PLAIN, Form(ending), CAPTION)
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<svg"}

    assert ending == "pdf" or drawn == figure(PLAIN, Form(ending), CAPTION)
    assert drawn.startswith(begins[ending])


@pytest.mark.parametrize("panels", ODD.values(), ids=ODD)
def test_whatever_panels_are_they_are_drawn(panels):
    assert CAPTION in " ".join(texts(figure(panels, Form("svg"), CAPTION)))


@pytest.mark.parametrize("ending", ["png", "pdf"])
@pytest.mark.parametrize("name", ["hostile names", "other scripts", "broken UTF-8", "no number"])
def test_whatever_names_are_they_are_drawn_as_pixels_and_on_paper(name, ending):
    assert figure(ODD[name], Form(ending), CAPTION)


# What cannot be drawn


def test_a_figure_of_an_unknown_kind_is_refused():
    with pytest.raises(UsageError) as caught:
        figure(PLAIN, Form("gif"), CAPTION)

    assert "no figure can be written to a file called '.gif'; name one that ends in .svg, .png or .pdf" == str(
        caught.value
    )


@ENDING
def test_a_figure_of_nothing_is_refused(ending):
    with pytest.raises(IrevError, match="there is nothing to draw"):
        figure([], Form(ending), CAPTION)


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_without_the_converter_only_png_and_pdf_are_refused(ending, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(IrevError) as caught:
        figure(PLAIN, Form(ending), CAPTION)

    assert (
        f"vl-convert-python is needed to write .{ending} files; pip install vl-convert-python, or name a file that ends"
        " in .svg"
    ) == str(caught.value)
    assert figure(PLAIN, Form("svg"), CAPTION)


# Pictures


def texts(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_text_in_svg_is_text():
    found = texts(figure(PLAIN, Form("svg"), CAPTION))

    for line in ("nDCG@10, mean difference", "dense − bm25", "rm3 − bm25", "shaded: within 0.05", CAPTION):
        assert line in found
    assert "mean +0.0875 [-0.1000, +0.2000]; wins/ties/losses 2/1/1" in found
    assert {"q0", "q1", "q2", "q3"} <= set(found), "few queries are called by their names"


def test_names_are_drawn_as_given_and_are_no_markup_and_no_formula():
    svg = figure(ODD["hostile names"], Form("svg"), HOSTILE.replace("\x1b", ""))
    drawn = "".join(texts(svg))

    assert SEEN in drawn.replace("\n", "")
    assert {"svg", "title"} <= {each.tag.rpartition("}")[2] for each in ElementTree.fromstring(svg).iter()}
    assert b"<b>" not in svg


def test_an_svg_has_a_title_and_says_no_time():
    svg = figure(PLAIN, Form("svg"), CAPTION)
    root = ElementTree.fromstring(svg)

    assert CAPTION in root.findtext("{http://www.w3.org/2000/svg}title")
    assert "img" == root.get("role")
    assert b"dc:date" not in svg
    assert b"CreationDate" not in figure(PLAIN, Form("pdf"), CAPTION)


def test_png_has_pixels_enough_for_print():
    data = figure(PLAIN, Form("png"), CAPTION)

    assert 1600 == int.from_bytes(data[16:20], "big")


def test_the_caption_says_what_is_left_out():
    drawn = " ".join(texts(figure(ODD["very many pairs"], Form("svg"), CAPTION)))

    for what, most in (("numbers", MOST_ESTIMATED), ("pictures", MOST_BELOW)):
        assert f"Only the first {most} of 100 {what} are drawn." in drawn
    assert "Only" not in "".join(texts(figure(PLAIN, Form("svg"), CAPTION)))


def test_of_too_many_queries_the_shape_is_drawn_with_both_ends():
    values = np.linspace(1, -1, 7000)
    kept = thinned(values, 800)

    assert (800, 1.0, -1.0) == (len(kept), kept[0], kept[-1])
    assert np.abs(kept - np.linspace(1, -1, 800)).max() < 1e-3
    assert len(figure(ODD["many queries"], Form("svg"), CAPTION)) < 200_000


def test_compare_draws_means_above_the_differences_of_queries(irev, folder):
    (folder / "qrels").write_text("".join(f"q{n} 0 d 1\n" for n in range(4)))
    (folder / "low").write_text("".join(f"q{n} Q0 x 1 2 low\nq{n} Q0 d 2 1 low\n" for n in range(4)))
    high = "q3 Q0 x 1 3 high\nq3 Q0 y 2 2 high\nq3 Q0 d 3 1 high\n"
    (folder / "high").write_text("".join(f"q{n} Q0 d 1 1 high\n" for n in range(3)) + high)
    asked = ("compare", "-m", "RR", "--plot", "figure.svg", "qrels", "low", "high")
    assert 0 == irev(*asked).status
    found = texts((folder / "figure.svg").read_bytes())
    assert ["RR, mean difference to low", "high"] == [found[0], next(each for each in found if each == "high")]
    assert "RR, high − low" in found
    assert any(each.endswith("wins/ties/losses 3/0/1") for each in found)
    assert b"<title>high, : +0.3333 [" in (folder / "figure.svg").read_bytes()

    assert 0 == irev(*asked, "--all-pairs").status
    found = texts((folder / "figure.svg").read_bytes())
    assert "RR, mean difference" == found[0]
    assert {"low − high", "high − low"} & {*found}


# Figures for papers


def test_a_narrow_figure_is_as_wide_as_it_was_asked_for_and_its_text_has_8_points():
    root = ElementTree.fromstring(figure(PLAIN, Form("svg", 3.3), CAPTION))

    assert (f"{3.3 * 72:g}pt", f"0 0 {3.3 * 96:g}") == (root.get("width"), root.get("viewBox").rpartition(" ")[0])
    assert 8 == pytest.approx(float(root.get("font-size")) * 72 / 96, abs=1e-3)
    assert not any("font-size" in (each.text or "") for each in root.iter() if each.tag.endswith("style"))


def test_a_pdf_has_the_same_width_and_its_fonts_within():
    pdf = figure(PLAIN, Form("pdf", 3.3), CAPTION)

    assert [b"237.6"] == re.findall(rb"/MediaBox \[0 0 ([\d.]+)", pdf)
    fonts = re.findall(rb"/FontName /\w+\+[\w-]+", pdf)
    assert fonts
    assert len(fonts) == len(re.findall(rb"/FontFile[23] ", pdf))


def test_names_from_right_to_left_change_places_in_no_title_or_label():
    found = texts(figure([panel([0.1], run="דן"), panel([0.1], run="a", baseline="שלום")], Form("svg"), CAPTION))
    for said in ("\u2068דן\u2069 − bm25", "a − \u2068שלום\u2069"):
        assert 2 <= sum(said in text for text in found), said


def test_a_figure_without_notes_has_none_but_those_who_hear_it_have_its_caption():
    assert CAPTION in texts(figure(PLAIN, Form("svg"), CAPTION))
    bare = figure(PLAIN, Form("svg", notes=False), CAPTION)

    assert CAPTION in ElementTree.fromstring(bare).findtext("{http://www.w3.org/2000/svg}title")
    assert not any(CAPTION in said or "Dashed: the mean" in said for said in texts(bare))
