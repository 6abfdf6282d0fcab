"""Statistics on plain arrays of numbers, one row per query: paired tests, intervals, effect sizes, corrections of many
tests, variance, power, equivalence, agreement of orderings; and ratios. Knows nothing of retrieval.

`plan` holds the choices. What takes them is one module each: `paired`, `intervals`, `effects`, `corrections`,
`variance`, `correlations`, `ratios`.
Nothing is imported here, so that the words of a `Plan` can be listed without numpy. Of scipy only `scipy.special` is
used, which has all the distributions, by way of `special`, which imports it when a function is asked for: `scipy.stats`
on top would take half a second to import.
"""
