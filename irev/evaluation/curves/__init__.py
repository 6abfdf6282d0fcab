"""Curves: the points that pictures of evaluations are made of, a module per kind. Nothing is drawn here.

Every value is one that `irev eval` prints, or is made of such values as the docstring of the kind says. Values for
several queries are averages over queries, never shares of what all queries have together.
"""
