"""Stratified samples: all of what runs put first, and shares of what stands below, each with its probability.

Emine Yilmaz, Evangelos Kanoulas and Javed Aslam, A Simple and Efficient Sampling Method for Estimating AP and NDCG,
SIGIR 2008; Javed Aslam and Virgil Pavlu, A Practical Sampling Strategy for Efficient Retrieval Evaluation, 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irev.base.segments import Bools, Floats, Ints
from irev.questions.pool import hash_sampling
from irev.questions.pool.candidates import Candidates, Selection
from irev.questions.pool.choices import Stratum


class Sample(NamedTuple):
    """The documents of one query in strata, `d` of them.

    Attributes
    ----------
    documents : tuple of bytes
    stratum : int (d,)
        Counting from 1.
    drawn : bool (d,)
    probability : float (d,)
        That of a document to be drawn.
    grade : float (d,)
        NaN for one that is not judged.
    """

    documents: tuple[bytes, ...]
    stratum: Ints
    drawn: Bools
    probability: Floats
    grade: Floats


def sample(candidates: Candidates, strata: Sequence[Stratum], seed: int) -> Sample:
    """Draw from each stratum, without replacement, every document being as likely as another.

    A document belongs to the first stratum whose depth its best rank in any run reaches. Of N documents and a share s
    the ⌈sN⌉ with the lowest hashes are drawn, so that each is with probability ⌈sN⌉ / N, and these probabilities add up
    to the number that is drawn.
    """
    stratum = np.searchsorted([each.depth for each in strata], candidates.best) + 1
    drawn = np.zeros(len(candidates.documents), dtype=bool)
    probability = np.zeros(len(candidates.documents))
    for number, each in enumerate(strata, start=1):
        members = np.flatnonzero(stratum == number).tolist()
        if members:
            size = math.ceil(each.share * len(members))
            probability[members] = size / len(members)
            by_hash = hash_sampling.ordered(seed, hash_sampling.SAMPLE, candidates.query, candidates.documents, members)
            drawn[by_hash[:size]] = True
    return Sample(tuple(candidates.documents), stratum, drawn, probability, candidates.grade)


def choose(candidates: Candidates, found: Sample) -> Selection:
    """The documents that were drawn; best rank first, equal ones by id, highest first."""
    order = np.argsort(candidates.best, kind="stable")
    order = order[found.drawn[order]]
    return Selection(order, found.probability[order], found.stratum[order])
