"""What measures are called in textbooks and papers: what each is stands in its own record."""

from __future__ import annotations

from irev.base.glossary import Term

TERMS = (
    Term(
        "average precision",
        measure="AP",
        also="mean average precision, MAP, uninterpolated average precision, AvgPrec",
    ),
    Term(
        "geometric mean average precision",
        measure="GMAP",
        also="gMAP, GM-MAP, geometric MAP",
    ),
    Term(
        "graded average precision",
        measure="GAP",
    ),
    Term(
        "inferred average precision",
        measure="infAP",
    ),
    Term(
        "set average precision",
        measure="SetAP",
    ),
    Term(
        "precision at k",
        measure="P",
        also="Prec, precision at n, precision at cutoff, top k precision, document level precision",
    ),
    Term(
        "recall at k",
        measure="R",
        also="Rec, recall at n, recall at cutoff",
    ),
    Term(
        "set precision",
        measure="SetP",
        also="precision of the set, precision of all results",
    ),
    Term(
        "set recall",
        measure="SetR",
        also="recall of the set, recall of all results, sensitivity, true positive rate, TPR, coverage of relevant"
        " documents",
    ),
    Term(
        "relative precision",
        measure="R_cap",
        also="capped recall, recall cap",
    ),
    Term(
        "R-precision",
        measure="Rprec",
        also="break-even point, precision at R, break-even",
    ),
    Term(
        "F-measure",
        measure="f1",
        also="harmonic mean, F-score, F1, F1-measure, balanced F, balanced F1, weighted harmonic mean, F beta,"
        " weighted harmonic mean of precision and recall, harmonic mean of precision and recall, van"
        " Rijsbergen, E-measure, effectiveness measure E",
    ),
    Term(
        "reciprocal rank",
        measure="RR",
        also="mean reciprocal rank, MRR, inverse rank",
    ),
    Term(
        "search length",
        measure="SearchLength",
        also="expected search length, ESL, rank of the answer, rank of the first relevant document, first relevant"
        " rank",
    ),
    Term(
        "average rank",
        measure="AvgRank",
        also="mean rank, mean rank of relevant documents",
    ),
    Term(
        "hit rate",
        measure="Success",
        also="hit ratio, success at k, hit at k, hits at k, top k accuracy, recall any",
    ),
    Term(
        "area under the ROC curve",
        measure="Accuracy",
        also="AUC, AUROC, ROC AUC, area under the curve, pairwise accuracy, concordance",
    ),
    Term(
        "discounted cumulative gain",
        measure="DCG",
        also="discounted cumulated gain, discounted gain",
    ),
    Term(
        "ideal DCG",
        measure="IDCG",
        also="ideal discounted cumulative gain, maximum DCG",
    ),
    Term(
        "normalised discounted cumulative gain",
        measure="nDCG",
        also="normalized discounted cumulated gain, normalised DCG, normalised cumulative discounted gain, cosine_ndcg",
    ),
    Term(
        "cumulative gain",
        measure="CG",
        also="cumulated gain",
    ),
    Term(
        "normalised cumulative gain",
        measure="NCG",
        also="normalised cumulated gain, nCG",
    ),
    Term(
        "expected reciprocal rank",
        measure="ERR",
        also="cascade measure",
    ),
    Term(
        "rank-biased precision",
        measure="RBP",
    ),
    Term(
        "rank-biased precision with gains",
        measure="gRBP",
        also="graded rank-biased precision",
    ),
    Term(
        "Q-measure",
        measure="Q",
    ),
    Term(
        "binary preference",
        measure="Bpref",
        also="preference of judged documents",
    ),
    Term(
        "interpolated precision",
        measure="IPrec",
        also="precision at recall, interpolated precision at recall",
    ),
    Term(
        "11-point average",
        measure="IPrecAvg",
        also="11-point interpolated average precision, eleven-point interpolated average precision, eleven-point"
        " average, 11-point precision, 11pt average, interpolated average precision, 11-point, eleven-point, eleven"
        " points, 11-point interpolated precision, 11pt",
    ),
    Term(
        "alpha-nDCG",
        measure="alpha-nDCG",
        also="novelty-biased nDCG, alpha-normalised discounted cumulative gain",
    ),
    Term(
        "subtopic recall",
        measure="strec",
        also="S-recall, aspect recall, instance recall, intent recall",
    ),
    Term(
        "intent-aware precision",
        measure="P-IA",
    ),
    Term(
        "intent-aware average precision",
        measure="MAP-IA",
    ),
    Term(
        "intent-aware expected reciprocal rank",
        measure="ERR-IA",
    ),
    Term(
        "novelty- and rank-biased precision",
        measure="NRBP",
    ),
    Term(
        "time-biased gain",
        measure="TBG",
    ),
    Term(
        "bejeweled player model",
        measure="BPM",
    ),
    Term(
        "nugget recall",
        measure="NuggetRecall",
        also="nugget score, information nugget recall, vital, vital recall",
    ),
    Term(
        "compatibility with ideal rankings",
        measure="Compat",
        also="ideal ranking similarity, compatibility",
    ),
    Term(
        "inferred nDCG",
        measure="infNDCG",
    ),
    Term(
        "extended inferred average precision",
        measure="xinfAP",
    ),
    Term(
        "number of relevant documents",
        measure="NumRel",
        also="total relevant",
    ),
    Term(
        "number of relevant documents retrieved",
        measure="NumRelRet",
        also="relevant retrieved, rel ret",
    ),
    Term(
        "number of documents retrieved",
        measure="NumRet",
        also="retrieved documents",
    ),
    Term(
        "number of queries",
        measure="NumQ",
        also="query count",
    ),
    Term(
        "true positives",
        measure="TP",
    ),
    Term(
        "false positives",
        measure="FP",
        also="false alarms",
    ),
    Term(
        "false negatives",
        measure="FN",
        also="misses",
    ),
    Term(
        "utility",
        measure="Utility",
        also="linear utility, filtering utility",
    ),
    Term(
        "false positive rate",
        measure="Fallout",
        also="FPR, false alarm rate, fall out",
    ),
)
