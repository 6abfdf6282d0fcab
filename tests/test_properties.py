"""What holds for the whole table of measures, so that a new one is tested the moment it is registered."""

import math
import random
from dataclasses import dataclass

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import OF_GRADES

from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.evaluation.scores import Scores, evaluate, summarise
from irev.measures import MEASURES, Request, parse
from irev.measures.measure import SETS, TREC_ORDER, Measure
from irev.measures.parameters import Cutoffs, FlagParameter, Levels, Mapping, Numbers, Option, Pairs, WordParameter
from irev.measures.spellings import spellings
from irev.ranking import ranking
from irev.reading import qrels
from irev.reading.sources import Source


def parameters_of(measure: Measure) -> list[str]:
    """The bare name, and some parameters of its kind; gains rise with the grade."""
    kind = measure.parameter
    given = {
        Cutoffs: ["1,2,3,7"],
        Levels: ["0.25,0.50,1.00"],
        Numbers: ["2,-1,0.5,0.25"] if getattr(kind, "length", None) == 4 else ["0.5", "0.25,1"],
        Pairs: ["1=3,2=9,3=27", "1=1.5,2=2.5,3=4"] + [f"{name}=0.5" for name in getattr(kind, "names", ())],
    }
    texts = next((given[each] for each in type(kind).__mro__ if each in given), [])
    return [measure.name] + [f"{measure.name}.{text}" for text in texts]


def options_of(measure: Measure) -> list[str]:
    """Every option with a value that is not its default, and every modifier that suits the measure."""
    given = [f"{key}={value}" for key, option in measure.options.items() for value in values_for(option)]
    given += ["rel=2", "judged_only=true", "rel=1.5,judged_only=true"]
    given += ["k=3"] * (measure.cut == "depth")
    given += ["agg=median", "agg=q2.5"] * measure.numeric
    given += ["bound=low", "bound=high"] * (measure.bounds != "none" and measure.kind != "text")
    return [f"{measure.name}.{text}" for text in given]


def values_for(option: Option) -> list[str]:
    """Some values of an option that are not its default, as they are written in a label."""
    if isinstance(option, WordParameter):
        return list(option.words[1:])
    if isinstance(option, FlagParameter):
        return ["true"]
    if isinstance(option, Mapping):
        return ["1:1.5;2:2.5", "0:0.5"]
    words = [word for word in getattr(option, "words", ()) if word != option.default]
    numbers = ["0.25", "0.5", "5", "2000"]
    return words + [number for number in numbers if low_enough(option, float(number))]


def low_enough(option: Option, number: float) -> bool:
    """Whether an option takes a number, and has another default."""
    try:
        return option.read("it", f"{number:g}") != option.default
    except UsageError:
        return False


OPTIONS = {text: parse([text]) for measure in OF_GRADES.values() for text in options_of(measure)}
REQUESTS = {text: parse([text]) for measure in OF_GRADES.values() for text in parameters_of(measure)}
ALL = [request for requests in REQUESTS.values() for request in requests]

UNJUDGED, POOLED = None, -1
"""A document that the judgments do not name, and one that they name with a negative grade."""


@dataclass(frozen=True)
class Query:
    """The grades of the results in rank order, and those of judged documents that were not retrieved."""

    ranked: list[int | None]
    missed: list[int]


grades = st.sampled_from((UNJUDGED, UNJUDGED, POOLED, 0, 0, 1, 1, 2, 3))
queries = st.builds(Query, st.lists(grades, min_size=1, max_size=15), st.lists(st.integers(-1, 3), max_size=4)).filter(
    lambda query: query.missed or any(grade is not UNJUDGED for grade in query.ranked)
)


@pytest.fixture(scope="session")
def score(tmp_path_factory):
    """``score(queries)`` evaluates every request of the table; a seed shuffles the rows of the files between."""
    folder = tmp_path_factory.mktemp("properties")

    def score(queries: list[Query], seed: int | None = None, requests=ALL, **choices) -> Scores:
        judged, retrieved = [], []
        for number, query in enumerate(queries):
            for rank, grade in enumerate(query.ranked):
                retrieved.append(b"%d Q0 d%d 0 %d t\n" % (number, rank, -rank))
                if grade is not UNJUDGED:
                    judged.append(b"%d 0 d%d %d\n" % (number, rank, grade))
            judged += [b"%d 0 m%d %d\n" % (number, place, grade) for place, grade in enumerate(query.missed)]
        if seed is not None:
            random.Random(seed).shuffle(judged)
            random.Random(seed).shuffle(retrieved)
        (folder / "qrels").write_bytes(b"".join(judged))
        (folder / "run").write_bytes(b"".join(retrieved))
        with Source(str(folder / "qrels")) as first, Source(str(folder / "run")) as second:
            settings = Settings(**{"collection_size": 1000, **choices})
            ranked, _, _ = ranking.rank(qrels.read(first, settings), second, settings)
        return evaluate(ranked, requests)

    return score


def values_of(scores: Scores) -> list[tuple[str, list]]:
    """Label and values of each column."""
    return [(column.request.label, column.values.tolist()) for column in scores.columns]


# The table itself


def test_order_names_and_sets_are_those_of_trec_eval():
    assert list(reference.MEASURES) == [name for name in TREC_ORDER if name in OF_GRADES]
    assert set(reference.MEASURES) <= set(MEASURES)
    assert {name: set(members) for name, members in reference.SETS.items()} == {
        name: set(SETS[name]) for name in reference.SETS
    }


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@pytest.mark.parametrize("asked", ["official", "set", "all_trec"])
def test_a_set_prints_the_labels_of_trec_eval_in_its_order(asked, compat):
    expected = reference.requests(reference.Options(measures=(asked,), compat=compat))

    assert [request.label for request in expected] == [request.label for request in parse([asked], compat)]


def test_names_are_those_of_their_records_and_no_two_print_alike():
    labels = [request.label for name in MEASURES for request in parse([name])]

    assert list(MEASURES) == [measure.name for measure in MEASURES.values()]
    assert sorted(set(labels)) == sorted(labels)


def test_no_measure_or_documentation_is_there_twice():
    functions = [measure.function for measure in MEASURES.values()]
    documentation = [measure.documentation for measure in MEASURES.values()]

    assert len(functions) == len(set(functions))
    assert len(documentation) == len(set(documentation))
    assert all(len(text.split()) > 10 for text in documentation)


EVERY = [*ALL, *(request for requests in OPTIONS.values() for request in requests)]


@pytest.mark.parametrize("name", MEASURES)
def test_every_label_and_every_standard_name_asks_for_what_it_names(name):
    for request in EVERY:
        if request.measure.name == name:
            assert (request,) == parse([request.label]), request.label
            assert (request,) == parse([request.standard]), request.standard


def test_no_two_requests_have_one_label_or_one_standard_name():
    for name in ("label", "standard"):
        names: dict[str, Request] = {}
        for request in EVERY:
            assert request == names.setdefault(getattr(request, name), request), getattr(request, name)


def test_a_label_has_the_style_of_trec_eval():
    for request in (request for requests in OPTIONS.values() for request in requests):
        assert request.label == f"{request.measure.name}_{request.label.removeprefix(request.measure.name + '_')}"
        assert not set(" \t()@{}[]'\"") & set(request.label), request.label


def test_every_spelling_of_every_tool_is_accepted():
    for (name, cut), call in spellings().items():
        text = f"{name}5" if name.endswith("_at_") else f"{name}@0.5" if is_of_levels(call.measure) else f"{name}@5"
        assert {call.measure.name, call.measure.cut} & {
            request.measure.name for request in parse([text if cut else name])
        }


def is_of_levels(measure: Measure) -> bool:
    """Whether what follows the ``@`` is not a rank."""
    return isinstance(measure.parameter, Levels)


@pytest.mark.parametrize("name", MEASURES)
def test_a_parameter_that_is_none_is_refused_by_every_measure(name):
    for text in ("x", "", "1,", "=", "1=", "nan", "1_0", "--1"):
        with pytest.raises(UsageError):
            parse([f"{name}.{text}"])


# Bounds

ANY = (-math.inf, math.inf)
BOUNDS = {
    "utility": ANY,
    "yaap": ANY,  # log odds
    "dcg": (0, math.inf),
    "ideal_dcg": (0, math.inf),
    "dcg_cut": (0, math.inf),
    "ideal_dcg_cut": (0, math.inf),
    "cg": (0, math.inf),
    "search_length": (1, math.inf),
    "avg_rank": (1, math.inf),
    "gm_map": (math.log(0.00001), 0),  # logarithms, of which the mean is made
    "gm_bpref": (math.log(0.00001), 0),
}
"""Bounds of the measures that do not lie between 0 and 1 whatever the ranking."""


def bounds(measure: Measure) -> tuple[float, float]:
    """Lowest and highest value that the measure can have."""
    return BOUNDS.get(measure.name, (0, math.inf) if measure.kind == "count" else (0, 1))


@settings(max_examples=150)
@given(st.lists(queries, min_size=1, max_size=3), st.booleans(), st.sampled_from((1, 2)))
@pytest.mark.thorough
def test_values_keep_their_bounds(score, given, judged_only, level):
    scores = score(given, judged_only=judged_only, level=level)
    for column in scores.columns:
        if column.request.measure.kind != "text":
            low, high = bounds(column.request.measure)
            outside = [x for x in column.values.tolist() if not low - 1e-12 <= x <= high + 1e-12]
            assert [] == outside, column.request.label


def test_the_measures_with_bounds_of_their_own_do_leave_zero_to_one(score):
    """Otherwise the table of bounds would promise less than is true."""
    scores = score([Query([1, 1, 3, 2, 1], []), Query([UNJUDGED], [1, 1, 1])])
    outside = {column.request.measure.name for column in scores.columns if leaves_zero_to_one(column.values)}
    counts = {measure.name for measure in OF_GRADES.values() if measure.kind == "count"}

    assert set(BOUNDS) == outside - counts


def leaves_zero_to_one(values: np.ndarray) -> bool:
    """Whether one of the values is a number below 0 or above 1."""
    return values.dtype != object and bool(((values < 0) | (values > 1)).any())


@settings(max_examples=60)
@given(st.lists(queries, min_size=1, max_size=4))
def test_a_mean_lies_among_the_values_of_the_queries(score, given):
    scores = score(given)
    for column, mean in zip(scores.columns, summarise(scores).values, strict=True):
        if column.request.measure.summary == "mean":
            values = column.values.tolist()
            assert min(values) - 1e-9 <= mean <= max(values) + 1e-9, column.request.label


# The best ranking

NORMALISED = (
    *("map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "11pt_avg", "infAP", "binG", "G"),
    *("ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "relative_P", "success", "set_recall", "set_relative_P"),
)
"""Measures that give 1 to a ranking of all judged documents, best first, whatever the parameter."""

NOT_BETTER_WHEN_HIGHER = ("unj", "rbp_resid", "binrbp_resid", "unjudged", "search_length", "avg_rank")
"""They say how much is unknown, or how far away. All others must not be higher for another order of the documents."""


def best_first(documents: list[int | None]) -> list[int | None]:
    """The documents by falling grade, unjudged ones at the end."""
    return sorted(documents, key=lambda grade: -2 if grade is UNJUDGED else grade, reverse=True)


some_relevant = st.lists(grades, min_size=1, max_size=12).filter(lambda found: any((grade or 0) > 0 for grade in found))


@settings(max_examples=100)
@given(some_relevant)
def test_a_normalised_measure_is_1_for_the_ideal_ranking(score, documents):
    for column in score([Query(best_first(documents), [])]).columns:
        if column.request.measure.name in NORMALISED:
            # infAP smooths its estimate and stays a little below.
            assert column.values[0] == pytest.approx(1, abs=1e-4), column.request.label


@settings(max_examples=100)
@given(some_relevant)
def test_all_relevant_documents_and_nothing_else_are_the_best_set(score, documents):
    relevant = [grade for grade in documents if (grade or 0) > 0]
    found = dict(values_of(score([Query(relevant, [grade for grade in documents if grade in (0, POOLED)])])))

    for name in ("set_P", "set_recall", "set_relative_P", "set_map", "set_F", "set_F_0.5", "Rprec_mult_1.00"):
        assert [1.0] == found[name], name
    assert [len(relevant)] == found["num_rel_ret"] == found["num_rel"] == found["num_ret"]


@settings(max_examples=150)
@given(some_relevant, st.lists(st.integers(-1, 3), max_size=3), st.randoms(use_true_random=False))
@pytest.mark.thorough
def test_no_other_order_is_better_than_the_ideal(score, documents, missed, chance):
    ranked = best_first(documents)
    other = ranked.copy()
    chance.shuffle(other)
    ideal, shuffled = (score([Query(order, missed)]) for order in (ranked, other))
    for best, column in zip(ideal.columns, shuffled.columns, strict=True):
        if best.request.measure.kind != "text" and best.request.measure.name not in NOT_BETTER_WHEN_HIGHER:
            assert column.values[0] <= best.values[0] + 1e-12, column.request.label


# What must not matter


@settings(max_examples=100)
@given(st.lists(queries, min_size=1, max_size=4), st.integers(0, 2**32))
@pytest.mark.thorough
def test_the_order_of_rows_in_the_files_does_not_matter(score, given, seed):
    assert values_of(score(given)) == values_of(score(given, seed))


@settings(max_examples=100)
@given(queries, st.data())
@pytest.mark.thorough
def test_swapping_two_documents_of_one_grade_changes_nothing(score, query, data):
    """They are swapped by id: the documents are others, the grades at each rank the same."""
    same = [[i for i, grade in enumerate(query.ranked) if grade == each] for each in set(query.ranked)]
    place = data.draw(st.sampled_from([places for places in same if places]))
    a, b = data.draw(st.sampled_from(place)), data.draw(st.sampled_from(place))
    documents = list(range(len(query.ranked)))
    documents[a], documents[b] = documents[b], documents[a]
    before, after = (score_of_order(score, query, order) for order in (list(range(len(query.ranked))), documents))

    assert before == after


def score_of_order(score, query: Query, order: list[int]) -> list[tuple[str, list]]:
    """The values when the documents stand in the given order."""
    return values_of(score([Query([query.ranked[i] for i in order], query.missed)]))


@settings(max_examples=100)
@given(queries, st.integers(1, 30))
@pytest.mark.thorough
def test_unjudged_documents_at_the_end_leave_cut_measures_alone(score, query, more):
    before, after = score([query]), score([Query(query.ranked + [UNJUDGED] * more, query.missed)])
    for short, long in zip(before.columns, after.columns, strict=True):
        if isinstance(short.request.measure.parameter, Cutoffs) and not (
            # These count them, where they come within the cutoff.
            short.request.measure.name in ("unj", "judged", "unjudged")
            and short.request.value.value > len(query.ranked)
        ):
            assert short.values.tolist() == long.values.tolist(), short.request.label


OF_THE_FILE = tuple(request.label for request in ALL if "max_rel" in request.measure.options)
"""Gains that are shares of the highest grade in the judgments, of whatever query."""


@settings(max_examples=60)
@given(st.lists(queries, min_size=2, max_size=4))
@pytest.mark.thorough
def test_the_value_of_a_query_does_not_depend_on_the_others(score, given):
    together = values_of(score(given))
    apart = [values_of(score([query])) for query in given]

    assert [(label, [dict(each)[label][0] for each in apart]) for label, _ in together if label not in OF_THE_FILE] == [
        (label, values) for label, values in together if label not in OF_THE_FILE
    ]


@settings(max_examples=60)
@given(st.lists(queries, min_size=1, max_size=3), st.integers(1, 20))
def test_a_depth_cut_is_the_same_as_a_shorter_run(score, given, depth):
    shorter = [Query(query.ranked[:depth], query.missed + cut_off(query.ranked[depth:])) for query in given]

    assert values_of(score(shorter)) == values_of(score(given, depth=depth))


def cut_off(ranked: list[int | None]) -> list[int]:
    """The judged documents among those cut off: nobody retrieved them, but they are judged."""
    return [grade for grade in ranked if grade is not UNJUDGED]


@settings(max_examples=60)
@given(st.lists(queries, min_size=1, max_size=3))
def test_judged_only_is_the_same_as_a_run_without_unjudged_documents(score, given):
    kept = [[grade for grade in query.ranked if grade is not UNJUDGED and grade >= 0] for query in given]
    pooled = [[POOLED] * query.ranked.count(POOLED) for query in given]
    if all(kept):
        without = [Query(k, query.missed + p) for k, p, query in zip(kept, pooled, given, strict=True)]
        assert values_of(score(without)) == values_of(score(given, judged_only=True))


@settings(max_examples=60)
@given(queries)
def test_a_query_without_results_has_the_values_of_nothing_found(score, query):
    """Zero, but for what is known of it: its relevant documents, its ideal, and what finding none is worth."""
    found = score([Query([UNJUDGED], [1]), Query([], [1, *query.missed])], complete=True)
    for column in found.columns:
        value = column.values[1]
        if column.request.measure.kind == "real" and column.request.measure.name not in (
            *("yaap", "ideal_dcg", "ideal_dcg_cut", "gm_map", "gm_bpref"),
            *("set_accuracy", "search_length", "avg_rank", "binrbp_resid"),
        ):
            assert value == 0, column.request.label
    relevant = sum(grade > 0 for grade in [1, *query.missed])
    (yaap,) = (column.values[1] for column in found.columns if column.request.label == "yaap")
    assert yaap == math.log(1 / (1 + relevant))
    assert np.isfinite(yaap)
