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
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair"),
    *("prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret"),
    *("prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
    *("map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap", "rbp", "rbp_resid", "unj"),
)
"""trec_eval's order of output, and so that of its lines here, whatever the order of the requests."""

_PREFS = tuple(name for name in TREC_ORDER if name.startswith("prefs_"))

SETS: dict[str, tuple[str, ...]] = {
    "official": TREC_ORDER[: TREC_ORDER.index("P") + 1],
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": tuple(
        name
        for name in TREC_ORDER
        if name not in ("dcg", "ideal_dcg", "yaap") and not name.startswith("prefs_") and not name.endswith("_avgjg")
    ),
    "all_prefs": ("runid", "num_q", *_PREFS),
    "prefs": ("runid", "num_q", *_PREFS[:6]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
"""Nicknames. `official` is what an evaluation without ``-m`` gives."""

OF_OTHER_JUDGMENTS = ("all_prefs", "prefs", "qrels_jg")
"""The sets of measures that grades of documents are not enough for."""
