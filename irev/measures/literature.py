"""Where measures were published: the one place that has each work in full, and BibTeX of them.

Docstrings name their sources in prose. A work is found there by its title, or by what else it is `called`; a source
without a record here is told by its prose alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from irev.base.version import __version__
from irev.measures.measure import Measure
from irev.measures.pages import page


class Publication(NamedTuple):
    """A work.

    Attributes
    ----------
    key : str
        What BibTeX calls it.
    kind : str
        As BibTeX has them: ``article``, ``inproceedings``, ``incollection``, ``book``, ``techreport``, ``misc``.
    authors : str
        All of them, with `` and `` between any two.
    title : str
        As docstrings have it, but for capitals.
    year : int
    fields : dict of str to str
        What else BibTeX takes of such a work.
    called : tuple of str
        What else stands for it in prose.
    """

    key: str
    kind: str
    authors: str
    title: str
    year: int
    fields: dict[str, str]
    called: tuple[str, ...] = ()

    def bibtex(self) -> str:
        """The entry, in ASCII."""
        given = {"author": self.authors, "title": f"{{{self.title}}}", **self.fields}  # with its capitals as they are
        given["year"] = str(self.year)
        width = max(map(len, given))
        lines = [f"  {name:{width}} = {{{_tex(name, text)}}}" for name, text in given.items()]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


_TOIS = {"journal": "ACM Transactions on Information Systems"}
_SIGIR = "Proceedings of the {} International ACM SIGIR Conference on Research and Development in Information Retrieval"
_CIKM = "Proceedings of the {} ACM International Conference on Information and Knowledge Management"

WORKS = (
    Publication(
        "Aslam2006",
        "inproceedings",
        "Javed A. Aslam and Virgil Pavlu and Emine Yilmaz",
        "A Statistical Method for System Evaluation Using Incomplete Judgments",
        2006,
        {"booktitle": _SIGIR.format("29th"), "pages": "541--548"},
    ),
    Publication(
        "Aslam2007",
        "techreport",
        "Javed A. Aslam and Virgil Pavlu",
        "A Practical Sampling Strategy for Efficient Retrieval Evaluation",
        2007,
        {"institution": "Northeastern University"},
    ),
    Publication(
        "Aumueller2020",
        "article",
        "Martin Aumüller and Erik Bernhardsson and Alexander Faithfull",
        "ANN-Benchmarks: A Benchmarking Tool for Approximate Nearest Neighbor Algorithms",
        2020,
        {"journal": "Information Systems", "volume": "87", "doi": "10.1016/j.is.2019.02.006"},
    ),
    Publication(
        "Azzopardi2019",
        "inproceedings",
        "Leif Azzopardi and Paul Thomas and Alistair Moffat",
        "cwl_eval: An Evaluation Tool for Information Retrieval",
        2019,
        {"booktitle": _SIGIR.format("42nd"), "pages": "1321--1324", "doi": "10.1145/3331184.3331398"},
        called=("cwl_eval: an evaluation tool for information retrieval", "Azzopardi, Thomas and Moffat, SIGIR 2019"),
    ),
    Publication(
        "Buckley2004",
        "inproceedings",
        "Chris Buckley and Ellen M. Voorhees",
        "Retrieval Evaluation with Incomplete Information",
        2004,
        {"booktitle": _SIGIR.format("27th"), "pages": "25--32", "doi": "10.1145/1008992.1009000"},
    ),
    Publication(
        "Buckley2005",
        "incollection",
        "Chris Buckley and Ellen M. Voorhees",
        "Retrieval System Evaluation",
        2005,
        {"booktitle": "TREC: Experiment and Evaluation in Information Retrieval", "publisher": "MIT Press"},
    ),
    Publication(
        "Burges2005",
        "inproceedings",
        "Chris Burges and Tal Shaked and Erin Renshaw and Ari Lazier and Matt Deeds and Nicole Hamilton and"
        " Greg Hullender",
        "Learning to Rank using Gradient Descent",
        2005,
        {
            "booktitle": "Proceedings of the 22nd International Conference on Machine Learning",
            "pages": "89--96",
            "doi": "10.1145/1102351.1102363",
        },
    ),
    Publication(
        "Chapelle2009",
        "inproceedings",
        "Olivier Chapelle and Donald Metzler and Ya Zhang and Pierre Grinspan",
        "Expected Reciprocal Rank for Graded Relevance",
        2009,
        {"booktitle": _CIKM.format("18th"), "pages": "621--630", "doi": "10.1145/1645953.1646033"},
    ),
    Publication(
        "Clarke2021",
        "article",
        "Charles L. A. Clarke and Alexandra Vtyurina and Mark D. Smucker",
        "Assessing Top-k Preferences",
        2021,
        {**_TOIS, "volume": "39", "number": "3", "pages": "33:1--33:21", "doi": "10.1145/3451161"},
    ),
    Publication(
        "Cooper1968",
        "article",
        "William S. Cooper",
        "Expected Search Length: A Single Measure of Retrieval Effectiveness Based on the Weak Ordering Action of"
        " Retrieval Systems",
        1968,
        {
            "journal": "American Documentation",
            "volume": "19",
            "number": "1",
            "pages": "30--41",
            "doi": "10.1002/asi.5090190108",
        },
    ),
    Publication(
        "Jarvelin2002",
        "article",
        "Kalervo Järvelin and Jaana Kekäläinen",
        "Cumulated Gain-Based Evaluation of IR Techniques",
        2002,
        {**_TOIS, "volume": "20", "number": "4", "pages": "422--446", "doi": "10.1145/582415.582418"},
    ),
    Publication(
        "Jegou2011",
        "article",
        "Hervé Jégou and Matthijs Douze and Cordelia Schmid",
        "Product Quantization for Nearest Neighbor Search",
        2011,
        {
            "journal": "IEEE Transactions on Pattern Analysis and Machine Intelligence",
            "volume": "33",
            "number": "1",
            "pages": "117--128",
            "doi": "10.1109/TPAMI.2010.57",
        },
    ),
    Publication(
        "Manning2008",
        "book",
        "Christopher D. Manning and Prabhakar Raghavan and Hinrich Schütze",
        "Introduction to Information Retrieval",
        2008,
        {"publisher": "Cambridge University Press"},
    ),
    Publication(
        "McSherry2008",
        "inproceedings",
        "Frank McSherry and Marc Najork",
        "Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores",
        2008,
        {
            "booktitle": "Advances in Information Retrieval (ECIR 2008)",
            "pages": "414--421",
            "doi": "10.1007/978-3-540-78646-7_38",
        },
    ),
    Publication(
        "Moffat2008",
        "article",
        "Alistair Moffat and Justin Zobel",
        "Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        2008,
        {**_TOIS, "volume": "27", "number": "1", "pages": "2:1--2:27", "doi": "10.1145/1416950.1416952"},
    ),
    Publication(
        "Moffat2015",
        "inproceedings",
        "Alistair Moffat and Peter Bailey and Falk Scholer and Paul Thomas",
        "INST: An Adaptive Metric for Information Retrieval Evaluation",
        2015,
        {
            "booktitle": "Proceedings of the 20th Australasian Document Computing Symposium",
            "pages": "5:1--5:4",
            "doi": "10.1145/2838931.2838938",
        },
    ),
    Publication(
        "Moffat2017",
        "article",
        "Alistair Moffat and Peter Bailey and Falk Scholer and Paul Thomas",
        "Incorporating User Expectations and Behavior into the Measurement of Search Effectiveness",
        2017,
        {**_TOIS, "volume": "35", "number": "3", "doi": "10.1145/3052768"},
    ),
    Publication(
        "Pradeep2024",
        "misc",
        "Ronak Pradeep and Nandan Thakur and Shivani Upadhyay and Daniel Campos and Nick Craswell and Jimmy Lin",
        "Initial Nugget Evaluation Results for the TREC 2024 RAG Track with the AutoNuggetizer Framework",
        2024,
        {"eprint": "2411.09607", "archiveprefix": "arXiv"},
    ),
    Publication(
        "VanRijsbergen1979",
        "book",
        "C. J. van Rijsbergen",
        "Information Retrieval",
        1979,
        {"publisher": "Butterworths"},
        called=("van Rijsbergen, Information Retrieval, Butterworths",),
    ),
    Publication(
        "Robertson2006",
        "inproceedings",
        "Stephen Robertson",
        "On GMAP: and other transformations",
        2006,
        {"booktitle": _CIKM.format("15th"), "pages": "78--83"},
    ),
    Publication(
        "Robertson2010",
        "inproceedings",
        "Stephen E. Robertson and Evangelos Kanoulas and Emine Yilmaz",
        "Extending Average Precision to Graded Relevance Judgments",
        2010,
        {"booktitle": _SIGIR.format("33rd"), "pages": "603--610", "doi": "10.1145/1835449.1835550"},
    ),
    Publication(
        "Robertson2012",
        "inproceedings",
        "Stephen Robertson",
        "On Smoothing Average Precision",
        2012,
        {"booktitle": "Advances in Information Retrieval (ECIR 2012)", "pages": "158--169"},
    ),
    Publication(
        "Sakai2007",
        "article",
        "Tetsuya Sakai",
        "On the reliability of information retrieval metrics based on graded relevance",
        2007,
        {
            "journal": "Information Processing and Management",
            "volume": "43",
            "number": "2",
            "pages": "531--548",
            "doi": "10.1016/j.ipm.2006.07.020",
        },
    ),
    Publication(
        "Voorhees1999",
        "inproceedings",
        "Ellen M. Voorhees",
        "The TREC-8 Question Answering Track Report",
        1999,
        {"booktitle": "Proceedings of the Eighth Text REtrieval Conference (TREC-8)", "pages": "77--82"},
    ),
    Publication(
        "Voorhees2003",
        "inproceedings",
        "Ellen M. Voorhees",
        "Overview of the TREC 2003 Question Answering Track",
        2003,
        {"booktitle": "Proceedings of the Twelfth Text REtrieval Conference (TREC 2003)"},
    ),
    Publication(
        "Yilmaz2008",
        "inproceedings",
        "Emine Yilmaz and Evangelos Kanoulas and Javed A. Aslam",
        "A Simple and Efficient Sampling Method for Estimating AP and NDCG",
        2008,
        {"booktitle": _SIGIR.format("31st"), "pages": "603--610", "doi": "10.1145/1390334.1390437"},
    ),
    Publication(
        "Yilmaz2006",
        "inproceedings",
        "Emine Yilmaz and Javed A. Aslam",
        "Estimating Average Precision with Incomplete and Imperfect Judgments",
        2006,
        {"booktitle": _CIKM.format("15th"), "pages": "102--111", "doi": "10.1145/1183614.1183633"},
    ),
    Publication(
        "Chapelle2011",
        "article",
        "Olivier Chapelle and Shihao Ji and Ciya Liao and Emre Velipasaoglu and Larry Lai and Su-Lin Wu",
        "Intent-based diversification of web search results: metrics and algorithms",
        2011,
        {"journal": "Information Retrieval", "volume": "14", "number": "6", "pages": "572--592"},
    ),
    Publication(
        "Clarke2008",
        "inproceedings",
        "Charles L. A. Clarke and Maheedhar Kolla and Gordon V. Cormack and Olga Vechtomova and Azin Ashkan and"
        " Stefan Büttcher and Ian MacKinnon",
        "Novelty and Diversity in Information Retrieval Evaluation",
        2008,
        {"booktitle": _SIGIR.format("31st"), "pages": "659--666", "doi": "10.1145/1390334.1390446"},
    ),
    Publication(
        "Clarke2009",
        "inproceedings",
        "Charles L. A. Clarke and Maheedhar Kolla and Olga Vechtomova",
        "An Effectiveness Measure for Ambiguous and Underspecified Queries",
        2009,
        {"booktitle": "Advances in Information Retrieval Theory (ICTIR 2009)", "pages": "188--199"},
    ),
    Publication(
        "Clarke2011",
        "inproceedings",
        "Charles L. A. Clarke and Nick Craswell and Ian Soboroff and Azin Ashkan",
        "A Comparative Analysis of Cascade Measures for Novelty and Diversity",
        2011,
        {
            "booktitle": "Proceedings of the Fourth ACM International Conference on Web Search and Data Mining",
            "pages": "75--84",
            "doi": "10.1145/1935826.1935847",
        },
    ),
    Publication(
        "Kantor2000",
        "article",
        "Paul B. Kantor and Ellen M. Voorhees",
        "The TREC-5 Confusion Track: Comparing Retrieval Methods for Scanned Text",
        2000,
        {"journal": "Information Retrieval", "volume": "2", "pages": "165--176"},
        called=("The TREC-5 confusion track",),
    ),
    Publication(
        "Moffat2012",
        "inproceedings",
        "Alistair Moffat and Falk Scholer and Paul Thomas",
        "Models and Metrics: IR Evaluation as a User Process",
        2012,
        {"booktitle": "Proceedings of the Seventeenth Australasian Document Computing Symposium", "pages": "47--54"},
    ),
    Publication(
        "Moffat2013",
        "inproceedings",
        "Alistair Moffat and Paul Thomas and Falk Scholer",
        "Users Versus Models: What Observation Tells Us About Effectiveness Metrics",
        2013,
        {"booktitle": _CIKM.format("22nd"), "pages": "659--668"},
    ),
    Publication(
        "Sakai2011",
        "inproceedings",
        "Tetsuya Sakai and Ruihua Song",
        "Evaluating Diversified Search Results Using Per-intent Graded Relevance",
        2011,
        {"booktitle": _SIGIR.format("34th"), "pages": "1043--1052"},
    ),
    Publication(
        "Zhang2017",
        "inproceedings",
        "Fan Zhang and Yiqun Liu and Xin Li and Min Zhang and Yinghui Xu and Shaoping Ma",
        "Evaluating Web Search with a Bejeweled Player Model",
        2017,
        {"booktitle": _SIGIR.format("40th"), "pages": "425--434"},
        called=("Evaluating web search with a Bejeweled player model", "Zhang et al., SIGIR 2017"),
    ),
    Publication(
        "Azzopardi2021",
        "inproceedings",
        "Leif Azzopardi and Joel Mackenzie and Alistair Moffat",
        "ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal Rank and Other Metrics",
        2021,
        {"booktitle": "Proceedings of the 2021 ACM SIGIR International Conference on Theory of Information Retrieval"},
        called=("ERR is not C/W/L", "Azzopardi, Mackenzie and Moffat, ICTIR 2021"),
    ),
    Publication(
        "Zhai2003",
        "inproceedings",
        "ChengXiang Zhai and William W. Cohen and John Lafferty",
        "Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval",
        2003,
        {"booktitle": _SIGIR.format("26th"), "pages": "10--17"},
    ),
    Publication(
        "Agrawal2009",
        "inproceedings",
        "Rakesh Agrawal and Sreenivas Gollapudi and Alan Halverson and Samuel Ieong",
        "Diversifying Search Results",
        2009,
        {
            "booktitle": "Proceedings of the Second ACM International Conference on Web Search and Data Mining",
            "pages": "5--14",
        },
    ),
    Publication(
        "Smucker2012",
        "inproceedings",
        "Mark D. Smucker and Charles L. A. Clarke",
        "Time-Based Calibration of Effectiveness Measures",
        2012,
        {"booktitle": _SIGIR.format("35th"), "pages": "95--104"},
    ),
)

IREV = Publication(
    "irev",
    "misc",
    "{the irev authors}",
    "irev: Evaluation of Ranked Retrieval",
    2026,
    {"note": f"Version {__version__}"},
)
"""What numbers were computed with."""

_PARTS = re.compile(r"; |\. Over ties: ")
"""What stands between the works of a source."""


def sources(measure: Measure) -> list[tuple[str, Publication | None]]:
    """The works that a measure's documentation names, each as its prose and its record, None where there is none."""
    prose = page(measure).source.rstrip(".")
    return [(part, _work(part)) for part in _PARTS.split(prose)] if prose else []


def cited(measures: Iterable[Measure], unsourced: bool = True) -> Iterator[str]:
    """BibTeX of what measures were published in, each work once, and of irev.

    Sources that have no record are comments, and so, unless `unsourced` is false, are measures that name none.
    """
    found: dict[str, Publication] = {}
    for measure in measures:
        named = sources(measure)
        if unsourced and not named:
            yield f"% {measure.name}: its documentation names no source"
        for prose, work in named:
            if work is None:
                yield f"% {measure.name}: {_ascii(prose)}"
            else:
                found.setdefault(work.key, work)
    for work in (*sorted(found.values(), key=lambda work: work.key.lower()), IREV):
        yield work.bibtex()


def _work(prose: str) -> Publication | None:
    """The work with the longest title of those that stand in the prose: some titles are words of others."""
    text = prose.lower()
    named = [(len(name), work) for work in WORKS for name in _names(work) if name in text]
    return max(named, key=lambda each: each[0])[1] if named else None


def _names(work: Publication) -> Iterator[str]:
    return (name.lower() for name in (work.called or (work.title,)))


_LETTERS = {"ä": r"{\"a}", "ö": r"{\"o}", "ü": r"{\"u}", "é": r"{\'e}", "ø": r"{\o}", "–": "--"}


def _ascii(text: str) -> str:
    return "".join(_LETTERS.get(letter, letter) for letter in text)


def _tex(name: str, text: str) -> str:
    """A field, with letters and signs as TeX wants them; of a DOI nothing is changed."""
    return text if name == "doi" else _ascii(text).replace("_", r"\_").replace("&", r"\&")
