"""Runs compared with each other.

`systems` has runs as values of queries, whatever they come from, and `alignment` brings them onto the same ones. Of
these, `contrasts` makes a comparison with tests, intervals and effect sizes.
"""
