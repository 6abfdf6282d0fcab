"""Names of measures in textbooks and papers. What a measure is, its own docstring says."""

from __future__ import annotations

from irev.base.glossary import Term

NAMES = {
    "AP": "average precision, mean average precision, MAP, uninterpolated average precision, AvgPrec",
    "GMAP": "geometric mean average precision, gMAP, GM-MAP, geometric MAP",
    "GAP": "graded average precision",
    "infAP": "inferred average precision",
    "SetAP": "set average precision",
    "P": "precision at k, Prec, precision at n, precision at cutoff, top k precision, document level precision",
    "R": "recall at k, Rec, recall at n, recall at cutoff",
    "SetP": "set precision, precision of the set, precision of all results",
    "SetR": (
        "set recall, recall of the set, recall of all results, sensitivity, true positive rate, TPR, coverage of"
        " relevant documents"
    ),
    "R_cap": "relative precision, capped recall, recall cap",
    "Rprec": "R-precision, break-even point, precision at R, break-even",
    "f1": (
        "F-measure, harmonic mean, F-score, F1, F1-measure, balanced F, balanced F1, weighted harmonic mean, F beta,"
        " weighted harmonic mean of precision and recall, harmonic mean of precision and recall, van Rijsbergen,"
        " E-measure, effectiveness measure E"
    ),
    "RR": "reciprocal rank, mean reciprocal rank, MRR, inverse rank",
    "SearchLength": (
        "search length, expected search length, ESL, rank of the answer, rank of the first relevant document, first"
        " relevant rank"
    ),
    "AvgRank": "average rank, mean rank, mean rank of relevant documents",
    "Success": "hit rate, hit ratio, success at k, hit at k, hits at k, top k accuracy, recall any",
    "Accuracy": "area under the ROC curve, AUC, AUROC, ROC AUC, area under the curve, pairwise accuracy, concordance",
    "DCG": "discounted cumulative gain, discounted cumulated gain, discounted gain",
    "IDCG": "ideal DCG, ideal discounted cumulative gain, maximum DCG",
    "nDCG": (
        "normalised discounted cumulative gain, normalized discounted cumulated gain, normalised DCG, normalised"
        " cumulative discounted gain, cosine_ndcg"
    ),
    "CG": "cumulative gain, cumulated gain",
    "NCG": "normalised cumulative gain, normalised cumulated gain, nCG",
    "ERR": "expected reciprocal rank, cascade measure",
    "RBP": "rank-biased precision",
    "gRBP": "rank-biased precision with gains, graded rank-biased precision",
    "Q": "Q-measure",
    "Bpref": "binary preference, preference of judged documents",
    "IPrec": "interpolated precision, precision at recall, interpolated precision at recall",
    "IPrecAvg": (
        "11-point average, 11-point interpolated average precision, eleven-point interpolated average precision,"
        " eleven-point average, 11-point precision, 11pt average, interpolated average precision, 11-point,"
        " eleven-point, eleven points, 11-point interpolated precision, 11pt"
    ),
    "alpha-nDCG": "alpha-nDCG, novelty-biased nDCG, alpha-normalised discounted cumulative gain",
    "strec": "subtopic recall, S-recall, aspect recall, instance recall, intent recall",
    "P-IA": "intent-aware precision",
    "MAP-IA": "intent-aware average precision",
    "ERR-IA": "intent-aware expected reciprocal rank",
    "NRBP": "novelty- and rank-biased precision",
    "TBG": "time-biased gain",
    "BPM": "bejeweled player model",
    "NuggetRecall": "nugget recall, nugget score, information nugget recall, vital, vital recall",
    "Compat": "compatibility with ideal rankings, ideal ranking similarity, compatibility",
    "infNDCG": "inferred nDCG",
    "xinfAP": "extended inferred average precision",
    "NumRel": "number of relevant documents, total relevant",
    "NumRelRet": "number of relevant documents retrieved, relevant retrieved, rel ret",
    "NumRet": "number of documents retrieved, retrieved documents",
    "NumQ": "number of queries, query count",
    "TP": "true positives",
    "FP": "false positives, false alarms",
    "FN": "false negatives, misses",
    "Utility": "utility, linear utility, filtering utility",
    "Fallout": "false positive rate, FPR, false alarm rate, fall out",
}
"""For each measure, by its name after ``-m``: its term in the glossary, and then its other names."""

TERMS = tuple(
    Term(name, also=also, measure=measure)
    for measure, names in NAMES.items()
    for name, _, also in (names.partition(", "),)
)
