"""Figures of curves: that what is drawn are the values, that odd data and names are drawn too, and as text."""

import json
import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from conftest import ROOT

from irev.evaluation.curves import (
    BARS,
    LINES,
    POINTS,
    STEPS_AFTER,
    STEPS_BEFORE,
    Axis,
    Curve,
    CurvePicture,
    Point,
    by_query,
)
from irev.output.figures import ENDINGS, Form, figure_of_curves
from irev.output.figures.charts import (
    MOST_CHARTS,
    admitted,
    apart,
    drawn,
    limits,
    numbers_on,
    points_called,
    points_to_name,
    prominent,
)

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS = tuple(str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "$x_2$ <b>&amp; \x1b[2J \N{RIGHT-TO-LEFT OVERRIDE}x --> \\frac{1}{2}"
SEEN = r"$x_2$ <b>&amp; \x1b[2J \u202ex --> \frac{1}{2}"
WORDS = "Seven queries <t> & more."


def picture(*curves, drawn=LINES, x=None, y=None, name="run", **more):
    made = tuple(
        Curve(f"{name}{n}" if len(curves) > 1 else name, tuple(Point(*each) for each in points))
        for n, points in enumerate(curves)
    )
    x = x or Axis("recall", "recall", 0.0, 1.0)
    return CurvePicture(
        "kind", "AP", "", x, y or Axis("precision", "precision", 0.0, 1.0), made, drawn, "How to read.", **more
    )


def of_values(values, measure="AP", names=("a", "b", "c")):
    """Every kind that is made of values of queries."""
    table = np.array(values, dtype=np.float64)
    ids = [f"q{i}".encode() for i in range(len(table))]
    pair = (table[:, 0], table[:, 1])
    return {
        "queries": [by_query.sorted_differences(measure, names[:2], ids, pair, None, (0, 0, 0))],
        "topics": by_query.topics(measure, names, ids, table),
        "distribution": [by_query.distribution(measure, names, ids, table)],
    }


ODD_VALUES = {
    "one query": [[0.5, 0.2, 0.1]],
    "all tied": [[0.5] * 3] * 5,
    "all zero": [[0.0] * 3] * 60,
    "infinite": [[math.inf, 1.0, -math.inf], [math.inf, 2.0, math.nan], [1.0, 2.0, 3.0]],
    "nothing finite": [[math.nan] * 3, [math.inf] * 3],
    "huge": [[1e300, -1e300, 0.0], [1.0, 2.0, 3.0]],
    "tiny": [[1e-300, 0.0, 2e-300], [0.0, 0.0, 0.0]],
    "many queries": np.random.default_rng(1).random((7000, 3)),
}

ODD = {
    "no points": [picture([])],
    "no points in one of two": [picture([(0.0, 1.0), (1.0, 0.5)], [])],
    "one point": [picture([(0.5, 0.5)], drawn=drawn) for drawn in (LINES, STEPS_BEFORE, POINTS)],
    "one cutoff": [picture([(1.0, 0.5)], x=Axis("k", "cutoff k", logarithmic=True), y=Axis("value", "P@k", 0.0))],
    "many curves": [picture(*([(0.0, n / 50), (1.0, 0.1)] for n in range(50)))],
    "many pictures": [picture([(0.0, 0.1), (1.0, 0.2)]) for _ in range(30)],
    "long names": [picture([(0.0, 0.1), (1.0, 0.2)], name="r" * 300)],
    "hostile names": [
        picture([(0.0, 0.1, HOSTILE), (1.0, 0.2, HOSTILE)], drawn=drawn, name=HOSTILE, labels="run")
        for drawn in (LINES, STEPS_BEFORE, POINTS)
    ],
    "other scripts": [picture([(0.0, 0.1), (1.0, 0.2)], name="日本語 שלום")],
    "broken UTF-8": [picture([(0.0, 0.1), (1.0, 0.2)], name="a\udcff")],
    **{f"{name}, {kind}": charts for name, values in ODD_VALUES.items() for kind, charts in of_values(values).items()},
}


def text(charts, width=80):
    return "".join(f"{line}\n" for line in drawn(charts, width))


def texts(svg):
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


# What is drawn are the values


class Drawn:
    """An SVG, with its coordinates brought back to the numbers that the ticks of its axes say."""

    def __init__(self, svg: bytes) -> None:
        self.root = ElementTree.fromstring(svg)

    def axes(self):
        return [each for each in self.root.iter(f"{SVG}g") if each.get("class") == "picture"]

    def curves(self, axes):
        """The corners of each curve of a picture, as numbers."""
        across, up = self._scale(axes, "x"), self._scale(axes, "y")
        found = []
        for path in self._paths(axes, "curve s"):
            corners = []
            for step, x, y in re.findall(r"([MLHV])([-\d.]+)(?: ([-\d.]+))?", path):
                last = corners[-1] if corners else (0.0, 0.0)
                corners.append(
                    (float(x), last[1]) if step == "H" else (last[0], float(x)) if step == "V" else (float(x), float(y))
                )
            found.append([(across(x), up(y)) for x, y in corners])
        return found

    def marks(self, axes):
        """Where along x something is marked."""
        across = self._scale(axes, "x")
        return [across(float(x)) for path in self._paths(axes, "mark") for x in re.findall(r"M([-\d.]+)", path)]

    @staticmethod
    def _paths(axes, kind):
        return [each.get("d") for each in axes.iter(f"{SVG}path") if each.get("class").startswith(kind)]

    @staticmethod
    def _scale(axes, side):
        """Pixels to numbers, by the first and the last tick; by logarithms where these are ranks."""
        down = 4.0 if side == "y" else 0.0  # the middle of digits is above their foot
        ticks = [
            (float(each.get(side)) - down, float(each.text))
            for each in axes.iter(f"{SVG}text")
            if each.get("class") == f"axis {side}"
        ]
        (first, low), (last, high) = ticks[0], ticks[-1]
        linear = all(abs((at - first) / (last - first) - (number - low) / (high - low)) < 1e-3 for at, number in ticks)
        if linear:
            return lambda at: low + (at - first) / (last - first) * (high - low)
        return lambda at: low * (high / low) ** ((at - first) / (last - first))


def drawn_and_printed(irev, folder, *arguments):
    """The picture of a command, and its rows."""
    status, _, stderr = irev("curves", *arguments, "--plot", "figure.svg", "-f", "json", "-o", "points.json")
    assert 0 == status, stderr
    found = json.loads((folder / "points.json").read_text())
    return Drawn((folder / "figure.svg").read_bytes()), found["pictures"]


@pytest.mark.thorough
def test_the_lines_by_cutoff_are_at_the_values_of_eval(irev, folder):
    drawn, _ = drawn_and_printed(irev, folder, "--kind", "cutoff", "-m", "nDCG", "-m", "R", QRELS, *RUNS)

    for axes, measure in zip(drawn.axes(), ("nDCG", "R"), strict=True):
        for curve, run in zip(drawn.curves(axes), RUNS, strict=True):
            asked = [part for k in range(1, 6) for part in ("-m", f"{measure}@{k}")]
            _, stdout, _ = irev("eval", "-c", *asked, "-f", "json", QRELS, run)
            (result,) = json.loads(stdout)["results"]
            values = list(result["summary"].values())
            assert [pytest.approx((k, value), abs=1e-3) for k, value in enumerate(values, start=1)] == curve


@pytest.mark.thorough
def test_the_area_below_the_steps_of_a_query_is_its_AP(irev, folder):
    drawn, (picture,) = drawn_and_printed(irev, folder, "--kind", "query", "--query", "q3", QRELS, *RUNS)
    (axes,) = drawn.axes()

    for curve, made in zip(drawn.curves(axes), picture["curves"], strict=True):
        flat = [(x - before) * y for (before, _), (x, y) in pairwise(curve)]
        area = math.fsum(flat)
        assert made["values"]["AP"] == pytest.approx(area, abs=1e-3)


def test_what_the_notes_name_is_marked():
    points = (Point(1.0, 0.5), Point(2.0, 0.25))
    axes = (Axis("build", "build"), Axis("value", "AP"))
    chart = CurvePicture("trend", "AP", "", *axes, (Curve("a", points),), LINES, notes=("It fell at 2.",), marks=(2.0,))
    drawn = Drawn(figure_of_curves([chart], Form("svg"), ""))

    assert "It fell at 2." in " ".join(texts(ElementTree.tostring(drawn.root)))
    (axes,) = drawn.axes()
    assert [2.0] == pytest.approx(drawn.marks(axes), abs=1e-3)


def test_an_empirical_distribution_is_drawn_as_steps_from_each_value_on():
    values = np.random.default_rng(1).integers(0, 5, (60, 1)) / 4
    chart = by_query.distribution("AP", ["a"], [b"%d" % i for i in range(60)], values)
    drawn = Drawn(figure_of_curves([chart], Form("svg"), ""))
    (axes,) = drawn.axes()

    (curve,) = drawn.curves(axes)

    for value, share, *_ in chart.curves[0].points:
        assert share == pytest.approx(max(y for x, y in curve if abs(x - value) < 1e-3), abs=1e-3)


def test_a_single_bar_among_many_of_the_other_side_is_drawn():
    """Of a thousand queries one alone is above the median, and none beside it."""
    values = [[-0.5 if i != 500 else 0.5, 0.0, 0.0] for i in range(1000)]
    chart = by_query.topics("AP", ["a", "b", "c"], [b"%d" % i for i in range(1000)], np.array(values))[0]
    svg = figure_of_curves([chart], Form("svg"), "").decode()

    (above,) = re.findall(r'<path class="bars up" d="([^"]*)"', svg)
    assert 1 == above.count("M")


# Any data, any name


@pytest.mark.thorough
@pytest.mark.parametrize("charts", ODD.values(), ids=ODD)
def test_whatever_curves_are_they_are_drawn_without_a_word_like_nan(charts):
    shown = [*texts(figure_of_curves(charts, Form("svg"), WORDS)), text(charts)]

    assert WORDS in shown
    assert [] == [line for line in shown if re.search(r"\bnan\b|None", line)]


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("charts", ODD.values(), ids=ODD)
def test_a_figure_in_text_is_no_wider_than_it_may_be_and_has_no_control_characters(charts, width):
    found = text(charts, width)

    assert [] == [line for line in found.splitlines() if len(line) > width]
    assert found.replace("\n", "").isprintable()


@pytest.mark.thorough
@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending != "pdf"])
def test_the_same_curves_give_the_same_figure(ending):
    charts = [each for made in of_values(ODD_VALUES["many queries"]).values() for each in made]

    assert figure_of_curves(charts, Form(ending), WORDS) == figure_of_curves(charts, Form(ending), WORDS)


def test_names_are_no_markup_and_no_formula():
    svg = figure_of_curves(ODD["hostile names"], Form("svg"), WORDS)

    assert SEEN in "".join(texts(svg)).replace("\n", "")
    assert b"<b>" not in svg


def flat(count, **more):
    """So many curves, each higher than the one before."""
    made = picture(*([(0.0, n / count), (1.0, n / count)] for n in range(count)), **more)
    return replace(made, named=("run7",))


@pytest.mark.parametrize("drawn", [LINES, STEPS_BEFORE])
def test_of_many_curves_the_highest_the_lowest_and_those_that_the_user_names_have_a_name(drawn):
    said = "55 of 60 curves are grey and have no name: all but the 3 highest, the lowest and run7."
    chart = flat(60, drawn=drawn)
    assert ["run59", "run58", "run57", "run7", "run0"] == [chart.curves[place].name for place in prominent(chart)]
    assert ([chart], [said]) == admitted([chart])
    assert [*range(20)] == prominent(flat(20, drawn=drawn))

    svg = figure_of_curves([chart], Form("svg"), "")
    (axes,) = Drawn(svg).axes()
    assert [55] == [path.count("M") for path in Drawn._paths(axes, "curve rest")]
    assert 5 == len(Drawn._paths(axes, "curve s"))
    for shown in ("\n".join(texts(svg)), text([chart])):
        assert {"run59", "run58", "run57", "run7", "run0"} == set(re.findall(r"\brun\d+\b", shown))
        assert said.split(":")[0] in shown
    assert "E~ run0   + several   ░ others" in text([chart])


def test_of_many_points_few_have_a_name():
    points = [(n / 60, n / 60, f"run{n}") for n in range(60)]
    chart = replace(picture(points, drawn=POINTS, labels="run"), named=("run7",))
    said = "55 of 60 points have no name: all but the 3 highest, the lowest and run7."
    called = {"run59", "run58", "run57", "run7", "run0"}
    assert called == {point.label for point in points_called(chart)}
    for shown in ("\n".join(texts(figure_of_curves([chart], Form("svg"), ""))), text([chart])):
        assert called == set(re.findall(r"\brun\d+\b", shown))
        assert said in shown.replace("\n", " ")


@pytest.mark.parametrize("width", [3.3, 8.0])
def test_curves_are_told_apart_by_colours_and_dashes_and_a_few_of_a_narrow_picture_by_dashes_alone(width):
    svg = figure_of_curves([flat(20)], Form("svg", width), "").decode()
    looks = re.findall(r'<path class="curve (s\d) run" d="[^"]*"(?: stroke-dasharray="([^"]*)")?>', svg)
    assert 20 == len(looks) == len({*looks})
    assert (4 if width < 5 else 1) == len({dashes for _, dashes in looks[:4]})


@pytest.mark.thorough
def test_the_caption_says_what_is_left_out():
    for name, note in (
        ("many curves", "46 of 50 curves are grey and have no name: all but the 3 highest and the lowest."),
        ("many pictures", f"Only the first {MOST_CHARTS} of 30 pictures are drawn."),
    ):
        assert note in "\n".join(texts(figure_of_curves(ODD[name], Form("svg"), WORDS)))
        assert note in text(ODD[name])


# What is where


def test_names_at_the_end_of_curves_do_not_touch():
    heights = apart([0.0, 0.0, 0.01, 0.9, 1.0], [0.1] * 5)

    assert [0.0, 0.1, 0.2, 0.9, 1.0] == pytest.approx(heights)


def test_axes_are_as_long_as_they_are_told_or_as_the_points_go():
    both = picture([(0.2, 3.0), (0.4, 7.0)], x=Axis("k", "k"), y=Axis("value", "P", 0.0))
    bars = picture([(1.0, 0.2), (2.0, -0.5)], drawn=BARS, y=Axis("difference", "difference"))

    assert ((0.2, 0.4), (0.0, 8.0)) == limits(both)
    assert (-0.5, 0.5) == limits(bars)[1]


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 0.7577), (-3.0, 4.0), (0.0, 12345.0), (0.001, 0.0012)])
def test_numbers_on_an_axis_are_round_and_within_it(low, high):
    found = numbers_on(low, high, 6)

    assert 2 <= len(found) <= 6
    assert all(low - 1e-9 <= number <= high + 1e-9 for number in found)


# Text


def test_lines_in_text():
    lines = text([picture([(0.0, 1.0), (1.0, 0.8)], [(0.0, 0.8), (1.0, 0.8)])], 40).splitlines()

    assert [
        "AP",
        "precision",
        "    1┤A─",
        "     │  ──",
        "     │    ──",
        "     │      ──",
        " 0.95┤        ──",
        "     │          ───",
    ] == lines[:8]
    assert [
        "  0.8┤B╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌─+",
        "     └┴──────┴─────┴──────┴─────┴──────┴",
        "      0     0.2   0.4    0.6   0.8     1",
        "                    recall",
        "A─ run0   B╌ run1   + several",
    ] == lines[17:22]


@pytest.mark.parametrize("value", [-1e50, 1e17, 1e100])
def test_huge_values_that_are_equal_have_room_around_them(value):
    values = np.array([[value], [value], [np.nextafter(value, 0)]])
    for queries in (2, 3):
        steps = by_query.distribution("DCG", ["a"], [b"1", b"2", b"3"][:queries], values[:queries])
        (left, right), _ = limits(steps)

        assert left <= value <= right
        assert right - left > 1e-9 * abs(value)
        assert "mean" in text([steps], 40)


def test_bars_in_their_order_are_all_drawn_in_several_lines():
    values = [[float(i % 7), 3.0, 3.0] for i in range(200)]
    chart = by_query.topics("AP", ["a", "b", "c"], [b"%d" % i for i in range(200)], np.array(values))[0]

    lines = text([chart]).splitlines()

    assert 3 == len([line for line in lines if line.lstrip().startswith("0┼")])
    assert "200 queries, in their order" in lines


def test_points_of_precision_against_recall_are_called_by_their_k_where_there_is_room():
    points = [(x, 0.5, str(k)) for k, x in enumerate((0.1, 0.12, 0.3, 0.9), start=1)]
    chart = picture(points, points, labels="k")

    assert ["1", "3", "4"] == [point.label for point in points_to_name(chart)]
    assert [] == points_to_name(picture(points, points))
    assert "Numbers at points of run0: k." in figure_of_curves([chart], Form("svg"), "").decode()


@pytest.mark.parametrize(("low", "high"), [(0.0, 5e-324), (0.0, 1e-320), (-1.7e308, 1.7e308)])
def test_an_axis_too_short_or_too_long_for_round_numbers_has_its_ends(low, high):
    assert numbers_on(low, high, 5) == [low, high]


def test_steps_go_from_one_end_of_the_axis_to_the_other():
    before, after = (
        Drawn(figure_of_curves([picture([(0.5, 0.5), (0.75, 0.2)], drawn=drawn)], Form("svg"), ""))
        for drawn in (STEPS_BEFORE, STEPS_AFTER)
    )

    (steps,) = before.curves(before.axes()[0])
    assert [0.0, 0.5, 0.5, 0.5, 0.75, 0.2] == pytest.approx([each for at in (0, 2, -1) for each in steps[at]], abs=1e-3)
    (steps,) = after.curves(after.axes()[0])
    assert [0.0, 0.0, 0.5, 0.5, 1.0, 0.2] == pytest.approx([each for at in (0, 2, -1) for each in steps[at]], abs=1e-3)


def test_names_of_curves_stand_below_a_narrow_picture():
    curves = [[(0.0, n / 9), (1.0, n / 10)] for n in range(9)]
    shown = texts(figure_of_curves([picture(*curves, name="_run")], Form("svg", 3.3), WORDS))

    assert [f"_run{n}" for n in range(9)] == sorted(word for word in shown if word.startswith("_run"))


def test_dashes_of_curves_that_meet_take_turns():
    curves = [[(0.0, 0.5), (1.0, 0.5)], [(0.0, 0.5), (1.0, 0.5)]]
    grid = text([picture(*curves)])
    assert "─╌─╌─╌" in grid
    assert "+" in grid


def test_the_axis_of_lines_that_are_close_is_the_part_that_they_are_in():
    curves = [[(0.0, 0.62), (1.0, 0.71)], [(0.0, 0.66), (1.0, 0.7)]]
    numbers = [float(line.split("┤")[0]) for line in text([picture(*curves)]).splitlines() if "┤" in line]
    assert (0.6, 0.62) <= (min(numbers), 0.62)
    assert max(numbers) <= 0.8
    assert min(numbers) >= 0.5
