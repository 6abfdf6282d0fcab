"""What ``import ir_measures.measures`` gives: the measures by their names, and what they are made of."""

from __future__ import annotations

from irev.compat.ir_measures.measures.base import BaseMeasure, MeanAgg, Measure, ParamInfo, SumAgg, also, made
from irev.compat.ir_measures.measures.base import register as register
from irev.compat.ir_measures.measures.base import registry as registry

Accuracy = made("Accuracy")
AP = MAP = made("AP", "MAP")
BPM = made("BPM")
Bpref = BPref = made("Bpref", "BPref")
Compat = made("Compat")
ERR = made("ERR")
infAP = made("infAP")
INSQ = made("INSQ")
INST = made("INST")
IPrec = made("IPrec")
Judged = made("Judged")
nDCG = NDCG = made("nDCG", "NDCG")
NERR8 = made("NERR8")
NERR9 = made("NERR9")
NERR10 = made("NERR10")
NERR11 = made("NERR11")
NumQ = made("NumQ")
NumRel = made("NumRel")
NumRet = made("NumRet")
NumRelRet = also("NumRelRet", NumRet(rel=1))
P = Precision = made("P", "Precision")
R = Recall = made("R", "Recall")
RBP = made("RBP")
Rprec = RPrec = made("Rprec", "RPrec")
RR = MRR = made("RR", "MRR")
SDCG = made("SDCG")
SetAP = made("SetAP")
SetF = made("SetF")
SetP = made("SetP")
SetRelP = also("SetRelP", SetP(relative=True))
SetR = made("SetR")
Success = made("Success")
# For judgments of subtopics.
alpha_DCG = α_DCG = made("alpha_DCG", "α_DCG")
alpha_nDCG = α_nDCG = made("alpha_nDCG", "α_nDCG")
AP_IA = MAP_IA = made("AP_IA", "MAP_IA")
ERR_IA = made("ERR_IA")
nERR_IA = made("nERR_IA")
NRBP = made("NRBP")
nNRBP = made("nNRBP")
P_IA = made("P_IA")
StRecall = made("StRecall")

__all__ = [
    "AP",
    "AP_IA",
    "BPM",
    "ERR",
    "ERR_IA",
    "INSQ",
    "INST",
    "MAP",
    "MAP_IA",
    "MRR",
    "NDCG",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NRBP",
    "P_IA",
    "RBP",
    "RR",
    "SDCG",
    "Accuracy",
    "BPref",
    "BaseMeasure",
    "Bpref",
    "Compat",
    "IPrec",
    "Judged",
    "MeanAgg",
    "Measure",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "ParamInfo",
    "Precision",
    "R",
    "RPrec",
    "Recall",
    "Rprec",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "StRecall",
    "Success",
    "SumAgg",
    "alpha_DCG",
    "alpha_nDCG",
    "infAP",
    "nDCG",
    "nERR_IA",
    "nNRBP",
    "α_DCG",
    "α_nDCG",
]
