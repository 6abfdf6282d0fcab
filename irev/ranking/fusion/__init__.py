"""Fusion: several runs made one, query by query.

`spec` says what is asked for, `rankings` is what is kept of a run, `merging` brings the queries of all runs together,
and `fused` makes runs of them. How votes become scores is a function of `methods`, how scores of different runs become
comparable one of `normalisations`; each is entered in the table there.
"""
