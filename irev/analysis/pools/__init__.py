"""Pools: which documents of some runs are to be judged, and what each run contributes to them.

`wanted` says what is asked for, `candidates` brings the runs together by query, a module for each way of choosing takes
documents from them, and `pool` is what comes of it.
"""
