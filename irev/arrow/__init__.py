"""Evaluation of Arrow tables, a part of the queries at a time: what engines of tables call on their workers.

    import irev.arrow
    facts = irev.arrow.qrels_facts(qrels)
    table = irev.arrow.evaluate_tables(run, qrels, ["nDCG@10", "AP"], facts=facts)

`irev.evaluate` takes a whole run and all judgments. Here both may be cut by query into as many tables as one likes, in
whatever order, and evaluated wherever: each query has the value, to the last bit, that it has there. What depends on
more than one query is handed in (`QrelsFacts`) or made of the values afterwards (`Fold`). Needs pyarrow.
"""

from irev.arrow.tables import Fold, QrelsFacts, arithmetic, evaluate_tables, per_query_schema, qrels_facts

__all__ = ["Fold", "QrelsFacts", "arithmetic", "evaluate_tables", "per_query_schema", "qrels_facts"]
