"""Every measure, with every option, against its plain definition in `reference_measures`; expected values over ties and
bounds against trying everything.

Rankings go through files and the whole pipeline. Each test is about one measure and looks at many queries at once.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import pytest
import reference_measures as definitions
from kinds import OF_GRADES
from reference_measures import Document, Query

from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.evaluation.scores import Scores, evaluate, summarise
from irev.measures import MEASURES, Request, parse
from irev.measures.measure import ORDER_FREE, TREC_ORDER, Measure
from irev.measures.parameters import NONE, Cutoffs, Levels, Numbers, Pairs
from irev.ranking import ranking
from irev.reading import qrels
from irev.reading.sources import Source

GAIN = (
    "gain=exp",
    "discount=jarvelin2002",
    "discount=jarvelin2002,base=3",
    "discount=jarvelin2002,base=1.5",
    "discount=zipf",
)
MAPPED = ("gains=1:3;2:9", "gains=-2:0.25;-1:0.5;1:-1;3:2", "gain=exp,gains=2:0")
BY = ("by=ranks", "by=cutoff", "by=pooled")

OF_READERS = (
    *(f"of={quantity}" for quantity in ("ETU", "EC", "ETC", "ED", "ResEU", "ResETU", "ResED")),
    *("max_rel=2,clip=true", "max_rel=4,min_rel=1", "max_rel=5,of=ETU", "max_rel=4,of=ResEU"),
    *("max_cost=2.5,of=ETC", "max_cost=2,min_cost=0.5,max_rel=4,of=ResEU", "min_cost=0.25,max_rel=4,of=ResETC"),
)
"""Options of user models."""

OPTIONS = {
    "dcg": GAIN,
    "ndcg": (*GAIN, "gain=exp,discount=zipf"),
    "ideal_dcg": GAIN,
    "dcg_cut": (*GAIN, *MAPPED),
    "ideal_dcg_cut": (*GAIN, *MAPPED),
    "ndcg_cut": (*GAIN, *MAPPED, "gains=1:3;2:9,discount=jarvelin2002"),
    "cg": ("gain=exp", *MAPPED),
    "ncg": ("gain=exp", *MAPPED),
    "iprec_at_recall": ("rule=nist",),
    "11pt_avg": ("rule=nist", "0.3,0.07,rule=nist"),
    "err": ("gmax=3", "gmax=5.5", "gmax=auto"),
    "q_measure": ("beta=0", "beta=0.5", "beta=10"),
    "rbp": ("gmax=1", "gmax=2", "gmax=auto", "gmax=5.5"),
    "binrbp": ("p=0.5", "p=0.95"),
    "binrbp_resid": ("p=0.5", "p=0.95"),
    "compat": (
        "p=0.8",
        "normalize=false",
        "depth=5",
        "p=0.5,depth=2,normalize=false",
        "depth=longest",
        "normalize=false,depth=longest",
    ),
    **{
        name: (
            *(f"{each},depth=20" if any("depth" in text for text in chosen) else each for each in OF_READERS),
            *chosen,
        )
        for name, chosen in {
            "cwl_p": (),
            "cwl_rr": ("depth=4", "depth=4,of=ResETU"),
            "cwl_ap": ("depth=4", "depth=4,of=ResEU"),
            "cwl_rbp": ("p=0.5", "depth=4", "depth=20,of=ETU"),
            "sdcg": ("gain=exp", "gain=exp,max_rel=4,min_rel=1"),
            "inst": ("T=2", "T=3,depth=10", "max_rel=4,min_rel=1,T=0.5", "depth=4"),
            "insq": ("T=2", "T=0.25,depth=10", "depth=4", "depth=20,of=ETU"),
            "bpm": ("T=2", "T=0.5,of=ED", "depth=4"),
            "bpm_dynamic": ("T=2", "hb=0.5,of=ED", "hc=0,T=3,of=ETU", "hb=0,hc=2,usual=0.25,of=ED", "depth=4"),
            "nerr8": (),
            "nerr9": (),
            "nerr10": ("p=0.5", "depth=4", "depth=20,of=ETU"),
            "nerr11": ("T=2", "T=0.25,depth=10", "depth=4"),
            "tbg": ("halflife=2", "halflife=0.5,of=ED", "depth=4"),
        }.items()
    },
    "map": ("over=found",),
    "map_cut": ("over=found",),
    "F": ("beta=2", "beta=0.5", "beta=0"),
    "set_F": ("beta=2", "beta=0.5"),
    "search_length": ("miss=100",),
    "avg_rank": ("miss=100",),
    "knn_recall": ("of=1", "of=2", "of=5"),
    "judged": BY,
    "unjudged": BY,
    "set_judged": ("by=pooled",),
    "set_unjudged": ("by=pooled",),
}
"""Options of each measure that has any, as they follow its name."""

MODIFIERS = ("", "rel=2", "judged_only=true", "rel=2,judged_only=true")

WITHOUT_A_VALUE = ("runid", "num_q")
"""They have one value for all queries, and none for each."""

WITHOUT_GAINS_OF_UNJUDGED = ("ideal_dcg", "ideal_dcg_cut", "rbp_resid")
"""To them a gain given to documents without a judgment does not matter."""

EXACT = {
    *("P", "recall", "success", "set_P", "set_recall", "map", "map_cut", "recip_rank"),
    *("dcg", "dcg_cut", "ndcg", "ndcg_cut", "rbp", "binrbp"),
}
"""Measures of which the expected value over ties is promised."""


def parameters_of(measure: Measure) -> list[str]:
    """Nothing, and parameters of its kind."""
    kind = measure.parameter
    given = {
        Cutoffs: ["1,2,3,7"],
        Levels: ["0.25,0.50,1.00"],
        Numbers: ["2,-1,0.5,0.25"] if getattr(kind, "length", None) == 4 else ["0.5", "0.25,1"],
        Pairs: ["1=3,2=9,3=27", "1=1.5,2=-1,-1=0.5"] + [f"{name}=0.5" for name in getattr(kind, "names", ())],
    }
    return given.get(type(kind), []) if isinstance(kind, Cutoffs) else ["", *given.get(type(kind), [])]


def texts_of(name: str, modifiers: Iterable[str] = MODIFIERS) -> list[str]:
    """The measure with each parameter, each of its options, at some depths, and with each modifier."""
    measure = MEASURES[name]
    depths = ["", "k=1", "k=3", "k=6"] if measure.cut == "depth" else [""]
    texts = []
    for parameter in parameters_of(measure):
        for option in ("", *OPTIONS.get(name, ())):
            if name == "set_F" and parameter and option:
                continue  # they exclude each other
            for depth in depths:
                for modifier in modifiers:
                    rest = ",".join(part for part in (parameter, option, depth, modifier) if part)
                    texts.append(f"{name}.{rest}" if rest else name)
    return texts


def requests_of(name: str, modifiers: Iterable[str] = MODIFIERS) -> list[Request]:
    found = [request for text in texts_of(name, modifiers) for request in parse([text])]
    return [request for request in found if request.measure.name == name]


NAMES = [name for name in OF_GRADES if name not in WITHOUT_A_VALUE]


# Files


@dataclass(frozen=True)
class Given:
    """A query for which files are made."""

    query: Query
    ties: tuple[int, ...]  # how many results share each score, from the top

    def __str__(self) -> str:
        """The grades, ties in brackets; ``-`` is a document without a judgment."""
        signs = ["-" if each.grade is None else f"{each.grade}" for each in self.query.results]
        groups = [signs[sum(self.ties[:i]) : sum(self.ties[: i + 1])] for i in range(len(self.ties))]
        ranked = " ".join(group[0] if len(group) == 1 else f"({' '.join(group)})" for group in groups)
        return f"{ranked or 'no results'}, not retrieved {' '.join(map(str, self.query.missed)) or 'none'}"


def random_query(
    chance: random.Random, longest: int, grades: Sequence[float | None], unjudged: int | None = None
) -> Given:
    """Results with ties, and documents that were not retrieved; at most `unjudged` results have no judgment."""
    results: list[Document] = []
    for _ in range(chance.randint(1, longest)):
        grade = chance.choice(grades)
        holes = [each for each in results if not definitions.is_judged(each.grade)]
        if unjudged is not None and len(holes) >= unjudged and not definitions.is_judged(grade):
            grade = 0
        results.append(Document(grade))
    judged = [grade for grade in grades if grade is not None]
    missed = [chance.choice(judged) for _ in range(chance.choice((0, 0, 1, 2, 4)))]
    ties = []
    while sum(ties) < len(results):
        ties.append(min(chance.choice((1, 1, 1, 2, 3)), len(results) - sum(ties)))
    return Given(Query(tuple(results), tuple(missed)), tuple(ties))


def of(results: Sequence[float | None], *missed: float, ties: Sequence[int] = ()) -> Given:
    return Given(Query(tuple(map(Document, results)), missed), tuple(ties) or (1,) * len(results))


EDGES = [
    of([], 1, 2, 0),
    of([], 0),
    of([1]),
    of([3], 3),
    of([0]),
    of([0, 0, 1], 1, 1),
    of([None]),
    of([None, None, None], 1),
    of([-1, -1], 2),
    of([-1, 1, None, 2], -1),
    of([1, 1, 1, 1]),
    of([3, 2, 1, 0, None]),
    of([0, 1, 2, 3, 3, 2, 1, 0, None, -1]),
    of([None] * 12 + [2]),
    of([0.5, 1.5, None, 2.25, 1, 0.25], 0.75, 2.5),
    of([2] * 9, 1, ties=[9]),
]
"""Queries at the limits of definitions."""

GRADES = (None, None, -1, 0, 0, 1, 1, 2, 3)


@pytest.fixture(scope="session")
def rank(tmp_path_factory):
    """``rank(given, requests, **choices)`` evaluates requests: files are written, read, and ranked."""
    folder = tmp_path_factory.mktemp("measures")
    made = {}

    def rank(given: Sequence[Given], requests: Sequence[Request], **choices) -> Scores:
        key = (tuple(given), tuple(sorted(choices.items())))
        if key not in made:
            settings = Settings(**choices, queries=names(given))
            first, second = folder / f"qrels{len(made)}", folder / f"run{len(made)}"
            judgments, results = rows(given)
            first.write_bytes(b"".join(judgments))
            second.write_bytes(b"".join(results))
            with Source(str(first)) as judged, Source(str(second)) as run:
                made[key], _, _ = ranking.rank(qrels.read(judged, settings), run, settings)
        return evaluate(made[key], requests)

    return rank


def names(given: Sequence[Given]) -> tuple[bytes, ...]:
    return tuple(b"%04d" % number for number in range(len(given)))


def rows(given: Sequence[Given]) -> tuple[list[bytes], list[bytes]]:
    """Lines of judgments and of results, shuffled; of documents that tie, the first one has the highest id."""
    judgments, results = [b"other 0 nothing 0\n"], []
    for name, each in zip(names(given), given, strict=True):
        scores = [-place for place, size in enumerate(each.ties) for _ in range(size)]
        for place, (document, score) in enumerate(zip(each.query.results, scores, strict=True)):
            document_id = b"%s-%03d" % (name, 999 - place)
            results.append(b"%s Q0 %s 0 %d t\n" % (name, document_id, score))
            if document.grade is not None:
                judgments.append(b"%s 0 %s %g\n" % (name, document_id, document.grade))
        for place, grade in enumerate(each.query.missed):
            judgments.append(b"%s 0 %s-m%d %g\n" % (name, name, place, grade))
    random.Random(5).shuffle(judgments)
    random.Random(6).shuffle(results)
    return judgments, results


def as_evaluated(given: Sequence[Given], level: float = 1.0, collection_size: int = 0, **_: object) -> list[Query]:
    """The queries with what the settings and the whole file say."""
    every = [grade for each in given for grade in (*each.query.missed, *(d.grade for d in each.query.results))]
    highest = max([0.0, *(float(grade) for grade in every if grade is not None)])
    return [
        replace(
            each.query, level=level, highest=highest, collection_size=collection_size, missing=not each.query.results
        )
        for each in given
    ]


def definition(request: Request, depth: int | None = None, judged_only: bool = False) -> Callable[[Query], object]:
    """What the request is worth for a query, by its definition."""

    def value(query: Query) -> object:
        query = definitions.cut(query, depth)
        return definitions.value(
            request.measure.name,
            definitions.only_judged(query) if judged_only else query,
            request.value.value,
            request.options,
            k=request.k,
            level=request.level,
            judged_only_first=request.judged_only,
        )

    return value


def same(expected: object, found: object, rel: float = 1e-12) -> bool:
    if isinstance(expected, bytes) or isinstance(found, bytes):
        return expected == found
    return math.isclose(expected, found, rel_tol=rel, abs_tol=1e-13)


def differences(scores: Scores, expected: Sequence[Sequence[object]], given: Sequence[Given]) -> list[str]:
    """One line for each value that is not the expected one."""
    return [
        f"{column.request.label}: {want!r} and not {found!r} for {each}"
        for column, wanted in zip(scores.columns, expected, strict=True)
        for want, found, each in zip(wanted, column.values.tolist(), given, strict=True)
        if not same(want, found)
    ]


# The table


@pytest.mark.parametrize("name", [name for name in OF_GRADES if name not in TREC_ORDER])
def test_a_measure_that_trec_eval_lacks_has_a_definition_here(name):
    assert name in definitions.MEASURES


@pytest.mark.parametrize("name", [name for name, measure in OF_GRADES.items() if measure.options])
def test_every_option_is_tried(name):
    tried = {part.partition("=")[0] for text in OPTIONS[name] for part in text.split(",") if "=" in part}

    assert set(MEASURES[name].options) == tried


@pytest.mark.parametrize("name", OF_GRADES)
def test_a_measure_looks_at_grades_where_its_definition_does(name):
    assert (name in definitions.GRADED) == MEASURES[name].graded


# Values

chance = random.Random(20)
MANY = [*EDGES, *(random_query(chance, 12, GRADES) for _ in range(30))]
SIZE = 1000


@pytest.mark.parametrize("name", NAMES)
def test_every_value_is_that_of_the_definition(rank, name):
    requests = requests_of(name)
    queries = as_evaluated(MANY, collection_size=SIZE)
    expected = [[definition(request)(query) for query in queries] for request in requests]

    assert [] == differences(rank(MANY, requests, collection_size=SIZE), expected, MANY)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "choices",
    [{"level": 2.0}, {"depth": 4}, {"judged_only": True}, {"level": 2.0, "depth": 5, "judged_only": True}],
    ids=str,
)
@pytest.mark.parametrize("name", NAMES)
def test_settings_of_the_whole_evaluation_reach_every_measure(rank, name, choices):
    requests = requests_of(name, ("",))
    queries = as_evaluated(MANY, collection_size=SIZE, **choices)
    of_settings = {key: value for key, value in choices.items() if key != "level"}
    expected = [[definition(request, **of_settings)(query) for query in queries] for request in requests]

    assert [] == differences(rank(MANY, requests, collection_size=SIZE, **choices), expected, MANY)


def test_judged_results_of_all_queries_together_are_pooled(rank):
    requests = parse(["judged.3,by=pooled", "unjudged.3,by=pooled"])
    queries = as_evaluated(MANY)
    seen = [query.results[:3] for query in queries]
    judged = sum(definitions.is_judged(result.grade) for results in seen for result in results)
    share = judged / sum(map(len, seen))

    assert summarise(rank(MANY, requests)).values == pytest.approx([share, 1 - share], rel=1e-12)


@pytest.mark.parametrize("name", ["tn", "set_accuracy"])
@pytest.mark.parametrize("size", [0, 2])
def test_a_collection_of_unknown_size_or_one_too_small_is_refused_where_it_counts(rank, name, size):
    given = [of([1, 0], 1)]
    with pytest.raises(UsageError) as refused:
        rank(given, parse([name]), collection_size=size)

    assert "collection" in refused.value.fact
    assert "collection_size" in str(refused.value)
    with pytest.raises(definitions.Refused):
        definitions.value(name, as_evaluated(given, collection_size=size)[0])


def test_a_grade_above_the_highest_one_of_err_is_refused_with_what_to_write(rank):
    with pytest.raises(UsageError) as refused:
        rank([of([0, 5])], parse(["err"]))

    assert "a grade of 5 is above the highest grade 4 of measure 'err'" in refused.value.fact
    assert "gmax=5" in refused.value.remedy
    assert "gmax=auto" in refused.value.remedy


def test_beta_and_x_of_set_f_exclude_each_other(rank):
    with pytest.raises(UsageError, match="set_F"):
        rank([of([1, 0])], parse(["set_F.0.5,beta=2"]))


# Expected values over ties

chance = random.Random(21)
TIED = [
    *EDGES[:-3],
    of([1, None], ties=[2]),
    of([0, 1, 2, None], 1, ties=[4]),
    of([1, 0, 1, 0, 1], ties=[1, 3, 1]),
    *(random_query(chance, 6, (None, -1, 0, 0, 1, 1, 2, 3)) for _ in range(25)),
]


def in_closed_form(request: Request, depth: int | None) -> bool:
    """Whether the request has an expected value over ties, as far as its measure has one."""
    kind = request.measure.expected
    of_unjudged = -1 in given_gains(request) and request.measure.name not in WITHOUT_GAINS_OF_UNJUDGED
    if ("by", "any") in request.options or of_unjudged or (request.judged_only and depth):
        return False
    return callable(kind) or (kind == ORDER_FREE and request.k is None and depth is None)


def given_gains(request: Request) -> list[object]:
    """The grades that have other gains than their own."""
    pairs = request.value.value if isinstance(request.measure.parameter, Pairs) else ()
    return [grade for grade, _ in (*dict(request.options).get("gains", ()), *pairs) if grade != "p"]


@pytest.mark.thorough
@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].expected is not None])
def test_expected_values_over_ties_are_means_over_all_orders(rank, name, depth):
    requests = [request for request in requests_of(name) if in_closed_form(request, depth)]
    queries = as_evaluated(TIED, collection_size=SIZE)
    expected = [
        [
            definitions.expected(definition(request, depth), query, each.ties)
            for query, each in zip(queries, TIED, strict=True)
        ]
        for request in requests
    ]
    scores = rank(TIED, requests, collection_size=SIZE, ties="average", depth=depth)

    assert [] == differences(scores, expected, TIED)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].expected is not None])
def test_expected_values_of_judged_results_alone_are_means_over_all_orders(rank, name):
    requests = [request for request in requests_of(name, ("",)) if in_closed_form(request, None)]
    queries = as_evaluated(TIED, collection_size=SIZE)
    expected = [
        [
            definitions.expected(definition(request, judged_only=True), query, each.ties)
            for query, each in zip(queries, TIED, strict=True)
        ]
        for request in requests
    ]
    scores = rank(TIED, requests, collection_size=SIZE, ties="average", judged_only=True)

    assert [] == differences(scores, expected, TIED)


@pytest.mark.parametrize(
    ("text", "choices"),
    [("P.2", {"depth": 3, "judged_only": True}), ("P.2,judged_only=true", {"depth": 3})],
    ids=["by settings", "by the measure"],
)
def test_no_expected_value_of_what_a_cut_leaves_of_judged_results(rank, text, choices):
    """How many judged results a cut through a tie leaves is itself a matter of chance."""
    with pytest.raises(UsageError, match="ties"):
        rank([of([0, 1, 2, None], 1, ties=[4])], parse([text]), ties="average", **choices)


@pytest.mark.parametrize("name", [name for name in NAMES if callable(MEASURES[name].expected)])
def test_without_ties_the_expected_value_is_the_value(rank, name):
    apart = [Given(each.query, (1,) * len(each.query.results)) for each in TIED]
    requests = [request for request in requests_of(name) if in_closed_form(request, None)]
    plain = rank(apart, requests, collection_size=SIZE)
    averaged = rank(apart, requests, collection_size=SIZE, ties="average")

    assert [] == differences(averaged, [column.values.tolist() for column in plain.columns], apart)


@pytest.mark.parametrize("name", [name for name in OF_GRADES if MEASURES[name].expected is None])
def test_a_measure_without_an_expected_value_is_refused_in_a_sentence(rank, name):
    for request in requests_of(name, ("",)) if name in NAMES else parse([name]):
        with pytest.raises(UsageError, match="expected value") as refused:
            rank([of([1, 0], ties=[2])], [request], ties="average", collection_size=SIZE)
        assert request.label in refused.value.fact
        assert "--ties" in refused.value.remedy


@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].expected is not None])
def test_what_has_no_closed_form_of_its_expected_value_is_refused_in_a_sentence(rank, name):
    for depth in (None, 3):
        for request in requests_of(name, ("",)):
            if not in_closed_form(request, depth):
                with pytest.raises(UsageError, match="expected value"):
                    rank([of([1, 0], ties=[2])], [request], ties="average", collection_size=SIZE, depth=depth)


def test_the_measures_whose_expected_value_is_promised_have_one():
    assert [] == [name for name in sorted(EXACT) if MEASURES[name].expected is None]


# Bounds

chance = random.Random(22)
BINARY = [
    *(each for each in EDGES if len(each.query.results) < 5 and max(each.query.missed, default=0) < 2),
    of([1, None, 1, None, None, None, None, 0]),
    *(random_query(chance, 7, (None, None, -1, 0, 0, 1, 1), 4) for _ in range(25)),
]
BINARY = [each for each in BINARY if all((result.grade or 0) < 2 for result in each.query.results)]
FINER = [random_query(chance, 7, (None, None, -1, 0, 1, 2), 4) for _ in range(25)]


def bounded(name: str, modifiers: Sequence[str]) -> list[Request]:
    found = [each for each in requests_of(name, modifiers) if each.bounds != "none"]
    return [replace(each, bound=bound) for each in found for bound in ("low", "high")]


def extremes(request: Request, query: Query) -> tuple[float, float]:
    """By trying everything."""
    if request.measure.graded:
        grades = [float(grade) for grade in range(int(max(query.highest, 1)) + 1)]
    else:
        grades = [0.0, request.level or query.level]
    return definitions.extremes(definition(replace(request, bound="")), query, grades)


def tried(requests: Sequence[Request], queries: Sequence[Query]) -> list[list[float]]:
    found = {}
    for request in requests:
        base = replace(request, bound="")
        found.setdefault(base, [extremes(base, query) for query in queries])
    return [[pair[request.bound == "high"] for pair in found[replace(request, bound="")]] for request in requests]


WITH_BOUNDS = [name for name in NAMES if MEASURES[name].bounds != "none"]


@pytest.mark.thorough
@pytest.mark.parametrize("level", [1.0, 2.0])
@pytest.mark.parametrize("name", WITH_BOUNDS)
def test_bounds_are_the_extremes_over_all_that_unjudged_results_may_be(rank, name, level):
    requests = [request for request in bounded(name, ("",)) if not (request.measure.graded and given_gains(request))]
    expected = tried(requests, as_evaluated(BINARY, level, SIZE))

    assert [] == differences(rank(BINARY, requests, collection_size=SIZE, level=level), expected, BINARY)


def test_a_higher_grade_in_the_judgments_of_another_query_is_possible_in_every_query(rank):
    """An unjudged result may turn out to have it."""
    given = [of([1, None, 0], 1), of([2])]
    (dcg,) = rank(given, parse(["dcg.bound=high"]), only=b"0000").columns

    assert dcg.values.tolist() == pytest.approx([1 + 2 / math.log2(3)])
    (ndcg,) = rank([of([1, 0, None], 1), of([2])], parse(["ndcg.bound=low"]), only=b"0000").columns
    assert ndcg.values.tolist() == pytest.approx([1 / (1 + 1 / math.log2(3))])
    with pytest.raises(UsageError, match="there are no bounds of 'q_measure'"):
        rank(given, parse(["Q(bound=low)"]), only=b"0000")
    with pytest.raises(UsageError, match="there are no bounds of 'ndcg' for grades up to 1001"):
        rank([of([1001])], parse(["ndcg.bound=low"]))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("name", ["ndcg", "ndcg_cut_3", "ndcg_cut_4,gain=exp", "ncg_3", "ndcg_discount=jarvelin2002"])
def test_bounds_of_shares_of_the_ideal_gain_are_exact_for_any_grades(rank, name, seed):
    """Also where the highest one is reached by grades between the lowest and the highest."""
    chance = random.Random(seed)
    given = [
        of(
            chance.choices([None, None, 0, 1, 2, 3, -1], k=chance.randrange(1, 7)),
            *chance.choices([0, 1, 2, 3, 4], k=3),
        )
        for _ in range(3)
    ]
    requests = [replace(parse([name])[0], bound=bound) for bound in ("low", "high")]
    expected = tried(requests, as_evaluated(given))

    assert [] == differences(rank(given, requests), expected, given)


@pytest.mark.thorough
@pytest.mark.parametrize("name", WITH_BOUNDS)
def test_bounds_under_more_grades_are_the_extremes_or_refused_in_a_sentence(rank, name):
    measure = MEASURES[name]
    requests = bounded(name, ("", "rel=2"))
    exact = not (measure.graded and measure.bounds == "search")
    found = [request for request in requests if exact and not (measure.graded and given_gains(request))]
    expected = tried(found, as_evaluated(FINER, collection_size=SIZE))

    assert [] == differences(rank(FINER, found, collection_size=SIZE), expected, FINER)
    for request in requests:
        if request not in found:
            with pytest.raises(UsageError, match="there are no bounds of"):
                rank(FINER, [request], collection_size=SIZE)


@pytest.mark.parametrize("name", [name for name in MEASURES if MEASURES[name].bounds == "none"])
def test_a_measure_without_bounds_is_refused_in_a_sentence(name):
    with pytest.raises(UsageError, match=f"there are no bounds for the measure '{name}'"):
        parse([f"{name}.bound=low" if MEASURES[name].parameter is NONE else f"{name}_bound=low"])


def test_average_precision_is_lowest_where_the_last_unjudged_results_are_relevant(rank):
    """Neither all nor none of them: 1 ? 1 ? ? ? ? 0 is lowest where the sixth and seventh are relevant."""
    given = [of([1, None, 1, None, None, None, None, 0]), of([1, None, 1, None, None, None, None, 0, None])]
    requests = parse(["map", "map.bound=low", "map.bound=high"])
    value, low, high = (column.values.tolist() for column in rank(given, requests).columns)

    assert value == pytest.approx([5 / 6, 5 / 6])
    assert low == pytest.approx([(1 + 2 / 3 + 3 / 6 + 4 / 7) / 4, (1 + 2 / 3 + 3 / 7 + 4 / 9) / 4])
    assert high == [1.0, 1.0]
