"""Interleaving: one list made of two runs, and whose clicks on it are.

`interleaved` is such a list and how it comes about by query, `methods/` has a module for each way to make one and to
share out the clicks, `credit` does so for many clicks at once, `draws` says what lists are drawn from, and `fields` how
programs read them.
"""
