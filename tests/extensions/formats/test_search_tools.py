"""JSON that OpenSearch, Quepid, RRE, LlamaIndex, ragas and MTEB write: what is read of it, and what is refused."""

import json

import pytest

from irev.base.errors import InputError
from irev.base.settings import Settings
from irev.reading import formats, qrels
from irev.reading.formats import JUDGMENTS, RUNS
from irev.reading.sources import Source

GRADES = {"red shoes": {"d01": 2, "d02": 0}, "blue sky": {"d03": 1}}
OPENSEARCH = {
    "name": "Imported",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {"query": "red shoes", "ratings": [{"docId": "d01", "rating": "2.000"}, {"docId": "d02", "rating": 0}]},
        {"query": "blue sky", "ratings": [{"docId": "d03", "rating": "1"}]},
    ],
}
QUEPID = {"queries": [{"query": query, "ratings": ratings} for query, ratings in GRADES.items()]}
QUEPID_CASE = {
    "case_name": "shoes",
    "scorer": {"name": "nDCG@10", "code": "x"},
    "queries": [
        {"arranged_at": 1, "query_text": query, "options": {}, "ratings": ratings} for query, ratings in GRADES.items()
    ],
    "try": {"query_params": "q=#$query##"},
}
BY_GAIN = {
    "id_field": "id",
    "index": "shoes",
    "template": "template.json",
    "queries": [
        {"placeholders": {"$query": "red shoes"}, "relevant_documents": {"0": ["d02"], "2": ["d01"]}},
        {"placeholders": {"$query": "blue sky"}, "relevant_documents": {"1": ["d03"]}},
    ],
}
IN_TOPICS = {
    "index": "shoes",
    "topics": [
        {
            "description": "Shoes",
            "query_groups": [
                {
                    "name": "red",
                    "queries": [{"template": "t", "placeholders": {"$query": "red shoes"}}],
                    "relevant_documents": {"d01": {"gain": 2}, "d02": {"gain": 0}},
                }
            ],
        },
        {
            "query_groups": [
                {"queries": [{"placeholders": {"$query": "blue sky"}}], "relevant_documents": {"d03": {"gain": 1}}}
            ]
        },
    ],
}
IN_ARRAYS = {
    "query_placeholder": "query",
    "query_groups": [
        {
            "queries": [{"template": "t", "placeholders": {"query": query}}],
            "relevant_documents": [{"document_id": document, "gain": gain} for document, gain in graded.items()],
        }
        for query, graded in (("red shoes", {"d01": 2, "d02": 0}), ("blue sky", {"d03": 1}))
    ],
}
"""As RRE's generator of ratings writes them."""


def read(path, value, **settings):
    """The grades of a file, by query and document."""
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    with Source(str(path)) as source:
        found = qrels.read(source, Settings(**settings))
    return {query.decode(): {d.decode(): g for d, g in found.graded(query).items()} for query in found.queries}


def recognised(value, table=JUDGMENTS):
    return formats.recognised(table, json.dumps(value).encode(), Settings()).name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("opensearch", OPENSEARCH),
        ("quepid", QUEPID),
        ("quepid", QUEPID_CASE),
        ("rre", BY_GAIN),
        ("rre", IN_TOPICS),
        ("rre", IN_ARRAYS),
    ],
)
def test_ratings_are_read_as_grades_whether_recognised_or_named(tmp_path, name, value):
    assert name == recognised(value)
    assert GRADES == read(tmp_path / "ratings.json", value)
    assert GRADES == read(tmp_path / "ratings.json", json.dumps(value, indent=2), qrels_format=name)


def test_all_queries_of_a_group_have_its_documents(tmp_path):
    group = {
        "queries": [{"placeholders": {"$query": "red"}}, {"placeholders": {"$query": "crimson"}}],
        "relevant_documents": {"d01": {"gain": 3}},
    }
    assert {"red": {"d01": 3}, "crimson": {"d01": 3}} == read(tmp_path / "rre.json", {"query_groups": [group]})


@pytest.mark.parametrize("texts_first", [True, False])
def test_a_data_set_of_llamaindex_has_relevant_documents(tmp_path, texts_first):
    texts = {"queries": {"q1": "red?", "q2": "blue?"}, "corpus": {"d01": "x" * 100_000, "d02": "y", "d03": "z"}}
    relevant = {"relevant_docs": {"q1": ["d01", "d02"], "q2": ["d03"]}}
    value = texts | relevant | {"mode": "text"} if texts_first else relevant | texts
    assert "llama_index" == recognised(value)
    assert {"q1": {"d01": 1, "d02": 1}, "q2": {"d03": 1}} == read(tmp_path / "qa.json", value)


def test_ids_of_contexts_of_ragas_are_a_run_and_judgments(irev, tmp_path):
    rows = [
        {"user_input": "Which shoes?", "retrieved_contexts": ["Red", "Blue"], "retrieved_context_ids": ["d1", "d2"]},
        {"user_input": "Which sky?", "retrieved_contexts": ["Grey"], "retrieved_context_ids": [7]},
    ]
    for row, ids in zip(rows, (["d2"], [7]), strict=True):
        row |= {"reference_context_ids": ids, "response": "None", "reference": "Some"}
    (tmp_path / "ragas.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    both = str(tmp_path / "ragas.jsonl")
    assert (0, b"recip_rank            \tall\t0.7500\n") == irev("-m", "recip_rank", both, both)[:2]


def test_predictions_of_mteb_are_a_run(irev, tmp_path):
    scores = {"q1": {"d1": 0.25, "d2": 0.5}, "q2": {"d3": 1.5}}
    value = {"mteb_model_meta": {"model_name": "m", "revision": "r"}, "default": {"test": scores}}
    assert "mteb" == recognised(value, RUNS)
    (tmp_path / "predictions.json").write_text(json.dumps(value))
    (tmp_path / "run.json").write_text(json.dumps(scores))
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d3 1\n")
    given = str(tmp_path / "qrels")
    expected = irev("-q", "-m", "map", given, str(tmp_path / "run.json"))
    assert 0 == expected[0]
    assert expected == irev("-q", "-m", "map", given, str(tmp_path / "predictions.json"))


def test_predictions_of_several_splits_are_refused(irev, tmp_path):
    value = {"mteb_model_meta": {}, "default": {"dev": {"q1": {"d1": 1}}, "test": {"q1": {"d1": 1}}}}
    (tmp_path / "predictions.json").write_text(json.dumps(value))
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    done = irev(str(tmp_path / "qrels"), str(tmp_path / "predictions.json"))
    assert 2 == done[0]
    assert "predictions of several splits, 'default/dev' and 'default/test'" in done[2]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "opensearch",
            {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "high"}]}]},
            "is not a number",
        ),
        ("opensearch", {"judgmentRatings": [{"query": "q", "ratings": [{"rating": "1"}]}]}, "the document id is null"),
        ("opensearch", {"judgmentRatings": [{"query": "q", "ratings": {}}]}, "the ratings of a query are an object"),
        ("opensearch", {"judgmentRatings": [{"ratings": []}]}, "the query id is null"),
        ("opensearch", {"judgments": []}, "there is no array 'judgmentRatings'; the fields are 'judgments'"),
        ("quepid", {"queries": [{"query": "q", "ratings": {"d": None}}]}, "the rating is null"),
        (
            "quepid",
            {"queries": [{"query": "q", "ratings": {"d": 1}}, {"query": "q", "ratings": {"d": 1}}]},
            "is judged twice",
        ),
        ("rre", {"queries": [{"placeholders": {"$query": "q"}}]}, "the value of relevant_documents is null"),
        ("rre", {"queries": [{"placeholders": {"q": "q"}, "relevant_documents": {"1": ["d"]}}]}, "query id is null"),
        ("rre", {"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"d": 3}}]}, "is a number"),
        ("rre", {"queries": 5, "topics": "none"}, "there is no array"),
        ("rre", {"topics": [{"query_groups": 5}]}, "there is no query in an element"),
        ("llama_index", {"queries": {"q1": "red"}}, "there is no field 'relevant_docs'"),
        ("llama_index", {"relevant_docs": {"q1": "d1"}}, "query 'q1' has a string"),
        ("llama_index", {"relevant_docs": {"q1": [None]}}, "the document id is null"),
    ],
)
def test_what_is_none_is_refused(tmp_path, name, value, said):
    with pytest.raises(InputError, match=said):
        read(tmp_path / "file", value, qrels_format=name)


def test_what_is_cut_short_is_refused(tmp_path):
    whole = json.dumps(OPENSEARCH)
    with pytest.raises(InputError, match="not JSON"):
        read(tmp_path / "file", whole[: len(whole) // 2 + 60])


def test_other_json_is_taken_for_none_of_them():
    for value in (
        {"q1": {"d1": 1}},
        {"queries": {"d1": 2}},
        {"requests": [{"id": "q1", "request": {}, "ratings": [{"_id": "d1", "rating": 1}]}]},
        [{"query_id": "ratings", "doc_id": "query", "relevance": 1}],
    ):
        assert recognised(value) in ("json", "rank_eval")
