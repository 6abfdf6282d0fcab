"""The order in which measures print, and the names that stand for several measures.

Both are trec_eval's.
"""

from __future__ import annotations

TREC_ORDER = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret"),
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    *("relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
    *("yaap", "rbp", "rbp_resid", "unj"),
)
"""trec_eval's order of output, and so that of its lines here, whatever the order of the requests."""

SETS: dict[str, tuple[str, ...]] = {
    "official": TREC_ORDER[: TREC_ORDER.index("P") + 1],
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": tuple(name for name in TREC_ORDER if name not in ("dcg", "ideal_dcg", "yaap")),
}
"""Nicknames. `official` is what an evaluation without ``-m`` gives."""
