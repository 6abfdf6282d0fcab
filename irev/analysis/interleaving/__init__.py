"""Interleaving: one list made of two runs, and whose clicks on it are.

`interleaved` is such a list and how it comes about by query, `methods/` has a module for each way to make one and to
share out the clicks, `credit` does so for many clicks at once, and `random_clicks` says what clicks without a reason
are worth to each of the runs.
"""
