"""User models: C/W/L measures, which differ in nothing but how likely a reader goes on from each rank. In the formulas
x_i is the gain at rank i, and C_i the probability that the reader goes on from rank i to rank i + 1. Each is expected
utility, EU, gain per result seen, unless of= chooses another quantity: ETU, gain in all; EC and ETC, cost per result
seen and in all; ED, how many results are seen; or ResEU, ResETU, ResEC, ResETC and ResED, how much more each would be
if all that is not judged, and all that might follow the last result, had the highest gain and cost the least. A result
costs what --costs says of its type; where nothing is known, as below the last result, a rank costs max_cost, 1 unless
given, and at least min_cost, 1 unless given.
Gains are shares of the highest one: (grade - min_rel) / (max_rel - min_rel), where max_rel is the highest grade of the
judgments, over all queries, unless given, and min_rel is 0 unless given; a lower grade than min_rel gains 0, and one
above max_rel is an error, or gains 1 with clip=true.

`irev.measures.user_models` has the readers, and what follows from them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from irev.base import segments
from irev.base.segments import Floats
from irev.measures import gains, user_models
from irev.measures.measure import Values, measure
from irev.measures.parameters import NONE, Cutoffs, Option, Parameter, Real
from irev.measures.user_models import BETTER, DEPTH, OF, SCALED, SPENT, At, Reader, ToGain, Walk
from irev.ranking.ranked import Ranked

_MOST = 1e9
"""So much is not gained in any ranking; far beyond it 2T is not a number."""

_GOAL: dict[str, Option] = {"T": Real(1.0, 0.0, _MOST, open=True)}
_P: dict[str, Option] = {"p": Real(0.9, 0.0, 1.0, open=True)}
_AT_10 = Cutoffs(10)


def user_model(
    name: str,
    *,
    standard: str,
    over: Parameter = NONE,
    options: dict[str, Option] | None = None,
    also: tuple[str, ...] = (),
    static: bool = False,
    thrifty: bool = False,
) -> Callable[[Callable[..., Reader]], Callable[..., Values]]:
    """Register the measure of which the decorated function makes the reader.

    Parameters
    ----------
    name, standard, over, options, also
        As `irev.measures.measure.measure` has them; options beside those that all user models have.
    static : bool
        Whether readers do not look at what they gain: there are expected values over ties, and bounds, then.
    thrifty : bool
        Whether they look at what they spend.
    """

    def costs(given: dict[str, Any]) -> bool:
        return thrifty or given.get("of", "").removeprefix(user_models.RESIDUAL) in user_models.OF_COST

    def register(function: Callable[..., Reader]) -> Callable[..., Values]:
        def evaluated(how: Callable[..., Values]) -> Callable[..., Values]:
            @wraps(function)
            def values(
                ranked: Ranked, *parameter: Any, of: str, max_cost: float, min_cost: float, **chosen: Any
            ) -> Values:
                scaling = tuple((key, chosen.pop(key)) for key in (*SCALED, *gains.GAIN) if key in chosen)
                walk = ranked.once(
                    _walk, name, function, parameter, tuple(chosen.items()), scaling, max_cost, static, thrifty
                )
                return how(walk, of, min_cost)

            return values

        return measure(
            name,
            standard=standard,
            over=over,
            options={**(options or {}), **OF, **SCALED, **SPENT},
            graded=True,
            better_of=("of", BETTER),
            also=also,
            expected=evaluated(user_models.expected) if static else None,
            bounds="rising" if static else "none",
            unbounded=("of", user_models.RESIDUALS),  # nothing of them is left when everything is known
            costs=costs,
        )(evaluated(user_models.value))

    return register


_Chosen = tuple[tuple[str, Any], ...]


def _walk(
    ranked: Ranked,
    name: str,
    function: Callable[..., Reader],
    parameter: tuple[Any, ...],
    chosen: _Chosen,
    scaling: _Chosen,
    cost: float,
    static: bool,
    thrifty: bool,
) -> Walk:
    """The reader that a measure's function makes, with the gains of these rankings."""
    scaled = gains.shares(ranked, name, **dict(scaling))
    there = ToGain(ranked, scaled, ranked.grade >= 0, cost=cost)
    return Walk(function(*parameter, **dict(chosen)), there, static, thrifty)


@user_model("cwl_p", standard="CWL_P", over=_AT_10, also=("cwl-eval PrecisionCWLMetric (k) max_rel=1",), static=True)
def precision(k: int) -> Reader:
    """Graded precision of the first k results, as C/W/L has it: the mean gain of a reader who sees all of them.

    cwl_p_k = (x_1 + … + x_k) / k: C_i = 1 for i < k, and 0 at k.

    With of=ETU it is the cumulated gain. Missing ranks count as gaining nothing. A query without results has 0.

    Elsewhere: P of cwl-eval. P is the precision of relevance alone.

    Source: Leif Azzopardi, Paul Thomas and Alistair Moffat, cwl_eval: an evaluation tool for information retrieval,
    SIGIR 2019.

    Example: grades 2 0 1 -, R = 2: cwl_p_2 0.5000, cwl_p_2,of=ETU 1.0000, cwl_p_5,of=ResEU 0.4000.
    """
    return Reader(k, lambda at: 1.0)


@user_model("cwl_rr", standard="CWL_RR", options=DEPTH, also=("cwl-eval RRCWLMetric max_rel=1",))
def reciprocal_rank(depth: int) -> Reader:
    """Graded reciprocal rank, as C/W/L has it: gain per result, for a reader who stops at the first that gains.

    cwl_rr = x_i / i where rank i is the first with a gain above 0: C_i = 1 before it, and 0 at it.

    Parameters: depth, 1000 unless given, the last rank that a reader looks at who finds nothing.

    A query of which nothing gains has 0, and the depth as its expected depth.

    Elsewhere: RR of cwl-eval, but for of=ETC where nothing gains, which is 0 there. recip_rank is the one of relevance
    alone.

    Source: Paul B. Kantor and Ellen M. Voorhees, The TREC-5 confusion track, Information Retrieval 2, 2000; Azzopardi,
    Thomas and Moffat, SIGIR 2019.

    Example: grades 0 2 4 0, R = 2: cwl_rr 0.2500, cwl_rr_of=ED 2.0000, cwl_rr_of=ETU 0.5000.
    """
    return Reader(depth, lambda at: at.gained == 0)


@user_model("cwl_ap", standard="CWL_AP", options=DEPTH, also=("cwl-eval APCWLMetric max_rel=1",))
def average_precision(depth: int) -> Reader:
    """Graded average precision of what was found, as C/W/L has it, for a reader who knows how much lies ahead.

    cwl_ap = (sum over i of x_i · (x_1 + … + x_i) / i) / (sum of x_i): C_i = S_{i+1} / S_i with
    S_i = x_i / i + x_{i+1} / (i+1) + … up to the last rank.

    Parameters: depth, 1000 unless given, the last rank.

    Gains that were not retrieved do not matter: with gains of 0 and 1 it is map · R / r, R the relevant documents and r
    those found. A query of which nothing gains has 0, and an expected depth of 1.

    Elsewhere: AP of cwl-eval, whose documentation says that it divides by all relevant documents. map does.

    Source: Alistair Moffat, Paul Thomas and Falk Scholer, Users versus models: what observation tells us about
    effectiveness metrics, CIKM 2013.

    Example: grades 1 0 1 -, R = 3: cwl_ap 0.8333, cwl_ap_of=ED 1.5000, cwl_ap_of=ETU 1.2500.
    """
    return user_models.Aware(depth)


@user_model(
    "cwl_rbp",
    standard="CWL_RBP",
    options={**_P, **DEPTH},
    also=("cwl-eval RBPCWLMetric (p) max_rel=1",),
    static=True,
)
def rank_biased_precision(p: float, depth: int) -> Reader:
    """Rank-biased precision, as C/W/L has it: gain per result, for a reader who goes on with probability p.

    cwl_rbp = (sum of p^(i-1) · x_i) / (sum of p^(i-1)) over the ranks i ≤ depth: C_i = p.

    Parameters: p, 0.9 unless given, above 0 and below 1; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: RBP of cwl-eval. binrbp is the one of relevance alone, rbp that of trec_eval.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 2 0 1 -, R = 2: cwl_rbp_p=0.5 0.5625, cwl_rbp_p=0.5,of=ED 2.0000, cwl_rbp_p=0.5,of=ResEU 0.1250.
    """
    return Reader(depth, lambda at: p)


@user_model(
    "sdcg",
    standard="SDCG",
    over=_AT_10,
    options=gains.GAIN,
    also=("cwl-eval NDCGCWLMetric (k) max_rel=1",),
    static=True,
)
def scaled_dcg(k: int) -> Reader:
    """Scaled DCG: the discounted gain of the first k results, as a share of the most that k results can have.

    sdcg_k = (sum of x_i / log2(i + 1)) / (sum of 1 / log2(i + 1)) over the ranks i ≤ k:
    C_i = log2(i + 1) / log2(i + 2) for i < k, and 0 at k.

    Option: gain=exp makes x_i (2^d - 1) / (2^m - 1), where d is the grade less min_rel, and m max_rel less min_rel.

    Unlike for nDCG it does not matter which documents there are: the ideal is k documents of the highest grade. A query
    without results has 0.

    Elsewhere: SDCG of ir_measures, which requires max_rel, and moves higher grades to it, as clip=true does; cwl-eval
    calls it NDCG.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM Transactions on
    Information Systems 20(4), 2002; Azzopardi, Thomas and Moffat, SIGIR 2019.

    Example: grades 2 0 1 -, R = 2: sdcg_3 0.5866, sdcg_3,of=ETU 1.2500, sdcg_3,max_rel=4 0.2933,
    sdcg_2,gain=exp 0.6131.
    """
    return Reader(k, lambda at: segments.log2(at.i + 1) / segments.log2(at.i + 2))


@user_model(
    "inst",
    standard="INST",
    options={"T": Real(1.0, 0.5, _MOST), **DEPTH},
    also=("cwl-eval INSTCWLMetric (T) max_rel=1",),
)
def inst(T: float, depth: int) -> Reader:
    """INST: gain per result seen, for a reader who wants to gain T in all.

    inst = (sum of V_i · x_i) / (sum of V_i) over the ranks i ≤ depth, where x_i is the gain at rank i and V_i the
    probability that the reader gets there: V_1 = 1 and V_{i+1} = V_i · ((i + T + T_i - 1) / (i + T + T_i))² with
    T_i = T - (x_1 + … + x_i), what is still wanted. The more is still wanted and the further down the reader is,
    the more likely the next result is looked at.

    Parameters: T, 1 unless given, how much is wanted, 0.5 at least; and depth, 1000 unless given. The depth matters:
    weights fall slowly, and what stands beyond it is left out.

    Documents without a judgment, or with a negative grade, gain nothing, nor do ranks below the last result,
    which count all the same. The relevance level (-l) plays no part. A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does. The totals of cwl-eval lose those who go on from the last rank.

    Source: Alistair Moffat, Peter Bailey, Falk Scholer and Paul Thomas, INST: an adaptive metric for information
    retrieval evaluation, Australasian Document Computing Symposium, 2015; the family in their Incorporating user
    expectations and behavior into the measurement of search effectiveness, ACM Transactions on Information Systems
    35(3), 2017.

    Example: grades 2 0 1 -, R = 2: inst 0.6639, inst_T=2 0.3503, inst_max_rel=4 0.2655.
    """

    def goes_on(at: At) -> Floats:
        after = at.i + 2.0 * T - at.gained
        likely: Floats = ((after - 1.0) / after) ** 2
        return likely

    return Reader(depth, goes_on)


def _of_size(at: At, T: float) -> Floats:
    """More and more likely, for whoever wants T in all, and does not look at what there was."""
    likely: Floats = ((at.i + 2.0 * T - 1.0) / (at.i + 2.0 * T)) ** 2
    return likely


@user_model(
    "insq",
    standard="INSQ",
    options={**_GOAL, **DEPTH},
    also=("cwl-eval INSQCWLMetric (T) max_rel=1",),
    static=True,
)
def insq(T: float, depth: int) -> Reader:
    """INSQ: gain per result seen, for a reader who wants T in all, and does not look at what there was.

    insq = (sum of V_i · x_i) / (sum of V_i) over the ranks i ≤ depth, V_i = (2T / (i + 2T - 1))²:
    C_i = ((i + 2T - 1) / (i + 2T))².

    Parameters: T, 1 unless given, how much is wanted; and depth, 1000 unless given. The depth matters: weights
    fall slowly, and what stands beyond it is left out.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does. The totals of cwl-eval lose those who go on from the last rank.

    Source: Alistair Moffat, Falk Scholer and Paul Thomas, Models and metrics: IR evaluation as a user process,
    Australasian Document Computing Symposium, 2012.

    Example: grades 2 0 1 -, R = 2: insq 0.4368, insq_depth=2 0.6923, insq_T=2,depth=2,of=ED 1.6400.
    """
    return Reader(depth, partial(_of_size, T=T))


@user_model(
    "bpm",
    standard="BPM",
    over=_AT_10,
    options={**_GOAL, **DEPTH},
    also=("cwl-eval BPMCWLMetric (T,k) max_rel=1",),
    thrifty=True,
)
def bejeweled_player(k: int, T: float, depth: int) -> Reader:
    """Bejeweled player model: gain per result, for a reader who stops after gaining T, or spending k.

    bpm_k = (x_1 + … + x_i) / i, where i is the first rank up to which T is gained or k spent, or else the depth:
    C_i = 1 before it, and 0 at it. A result costs 1, or what --costs says.

    Parameters: T, 1 unless given, how much is wanted; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: BPMCWLMetric of cwl-eval, and BPM of ir_measures, which requires max_rel, and moves higher grades to it,
    as clip=true does.

    Source: Fan Zhang, Yiqun Liu, Xin Li, Min Zhang, Yinghui Xu and Shaoping Ma, Evaluating web search with a Bejeweled
    player model, SIGIR 2017.

    Example: grades 2 0 4 -, R = 2: bpm_2 0.2500, bpm_5 0.5000, bpm_5,T=2 0.3000, bpm_5,of=ED 3.0000.
    """
    return user_models.Bejeweled(depth, T, float(k))


@user_model(
    "bpm_dynamic",
    standard="BPMD",
    over=_AT_10,
    options={
        **_GOAL,
        "hb": Real(1.0, 0.0),
        "hc": Real(1.0, 0.0),
        "usual": Real(0.5, 0.0, 1.0),
        **DEPTH,
    },
    also=("cwl-eval BPMDCWLMetric (T,k,hb,hc,usual) max_rel=1",),
    thrifty=True,
)
def dynamic_bejeweled_player(k: int, T: float, hb: float, hc: float, usual: float, depth: int) -> Reader:
    """Dynamic Bejeweled player model: bpm, for a reader whose goal and patience change with what is found.

    As bpm_k, but after looking at rank i, and stopping or not, the goal T becomes T + hb · (x_i - usual) and the
    patience k becomes k + hc · (x_i - usual), before the next rank is looked at.

    Parameters: T, 1 unless given, how much is wanted at first; hb and hc, 1 unless given, how much the goal and the
    patience change; usual, 0.5 unless given, the gain at which they do not; and depth, 1000 unless given, the last
    rank. With hb=0,hc=0 it is bpm.

    A query without results has 0.

    Elsewhere: in BPMDCWLMetric of cwl-eval hc does nothing: what should change the patience changes a goal that is not
    looked at again. Its values are those of hc=0.

    Source: Zhang et al., SIGIR 2017.

    Example: grades 0 4 4 -, R = 2: bpm_dynamic_5 0.5000, bpm_dynamic_5,of=ED 2.0000, bpm_dynamic_5,T=2,of=ETU 2.0000.
    """
    return user_models.Bejeweled(depth, T, float(k), hb, hc, usual)


@user_model(
    "nerr8",
    standard="NERR8",
    over=_AT_10,
    also=("cwl-eval NERReq8CWLMetric (k) max_rel=1",),
)
def nearly_err_8(k: int) -> Reader:
    """Nearly expected reciprocal rank, 8: gain per result, for a reader of k results who stops when satisfied.

    nerr8_k is EU with C_i = 1 - x_i for i < k, and 0 at k: a gain is the probability that the document satisfies.

    It is the first of four measures of the form of C/W/L that stand in for ERR, which has not that form. A query
    without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same; ir_measures requires max_rel, and moves higher grades to it,
    as clip=true does.

    Source: Leif Azzopardi, Joel Mackenzie and Alistair Moffat, ERR is not C/W/L: exploring the relationship between
    expected reciprocal rank and other metrics, ICTIR 2021, equation 8.

    Example: grades 1 0 2 -, R = 2: nerr8_2 0.3333, nerr8_5 0.5000, nerr8_5,of=ED 2.0000.
    """
    return Reader(k, lambda at: 1.0 - at.gain)


@user_model(
    "nerr9",
    standard="NERR9",
    over=_AT_10,
    also=("cwl-eval NERReq9CWLMetric (k) max_rel=1",),
)
def nearly_err_9(k: int) -> Reader:
    """Nearly expected reciprocal rank, 9: as nerr8, for a reader who also loses patience as one over the rank falls.

    nerr9_k is EU with C_i = (1 - x_i) · i / (i + 1) for i < k, and 0 at k.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same; ir_measures requires max_rel, and moves higher grades to it,
    as clip=true does.

    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 9.

    Example: grades 1 0 2 -, R = 2: nerr9_2 0.4000, nerr9_5 0.4706.
    """
    return Reader(k, lambda at: (1.0 - at.gain) * (at.i / (at.i + 1.0)))


@user_model(
    "nerr10",
    standard="NERR10",
    options={**_P, **DEPTH},
    also=("cwl-eval NERReq10CWLMetric (p) max_rel=1",),
)
def nearly_err_10(p: float, depth: int) -> Reader:
    """Nearly expected reciprocal rank, 10: as nerr8, for a reader who also goes on with probability p.

    nerr10 is EU with C_i = p · (1 - x_i) over the ranks i ≤ depth.

    Parameters: p, 0.9 unless given, above 0 and below 1; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does.

    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 10.

    Example: grades 1 0 2 -, R = 2: nerr10_p=0.5 0.4545, nerr10_p=0.5,of=ED 1.3750.
    """
    return Reader(depth, lambda at: (1.0 - at.gain) * p)


@user_model(
    "nerr11",
    standard="NERR11",
    options={**_GOAL, **DEPTH},
    also=("cwl-eval NERReq11CWLMetric (T) max_rel=1",),
)
def nearly_err_11(T: float, depth: int) -> Reader:
    """Nearly expected reciprocal rank, 11: as nerr8, for a reader who also goes on as that of insq does.

    nerr11 is EU with C_i = ((i + 2T - 1) / (i + 2T))² · (1 - x_i) over the ranks i ≤ depth.

    Parameters: T, 1 unless given, how much is wanted; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does. The totals of cwl-eval lose those who go on from the last rank.

    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 11.

    Example: grades 1 0 2 -, R = 2: nerr11_depth=3 0.4639, nerr11_T=2,depth=2 0.3788.
    """
    return Reader(depth, lambda at: (1.0 - at.gain) * _of_size(at, T))


@user_model(
    "tbg",
    standard="TBG",
    options={"halflife": Real(224.0, 0.0, open=True), **DEPTH},
    also=("cwl-eval TBGCWLMetric (halflife) max_rel=1",),
    static=True,
    thrifty=True,
)
def time_biased_gain(halflife: float, depth: int) -> Reader:
    """Time-biased gain, as C/W/L has it: gain per result, for a reader half of whom are gone after every halflife.

    tbg is EU with C_i = 2^(-k_i / halflife) over the ranks i ≤ depth, where k_i is what rank i costs.

    Parameters: halflife, 224 unless given, in the unit of costs; and depth, 1000 unless given, the last rank.

    Where every result costs 1 it is cwl_rbp with p = 2^(-1 / halflife). A query without results has 0.

    Elsewhere: TBGCWLMetric of cwl-eval. The measure of the paper is a total, of=ETU, of gains and times that it has a
    model for; a document that was seen before gains nothing there, which judgments have to say here.

    Source: Mark D. Smucker and Charles L. A. Clarke, Time-based calibration of effectiveness measures, SIGIR 2012.

    Example: grades 2 0 1 -, R = 2: tbg_halflife=1 0.5625, tbg_halflife=1,of=ETU 1.1250.
    """
    return Reader(depth, lambda at: segments.exp2(-at.cost / halflife))
