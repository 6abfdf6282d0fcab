"""The report of a comparison: for each measure a table of runs with what sets them apart, and what was done to know it.

`report` has it for every style. `compact` are the tables that most people need, `details` those with all that was
found, `paper` the one of a paper; `words` are the sentences around them, `data` what programs get, `figure` what is
drawn. Intervals stand before p-values, since a p-value says how sure one may be that there is a difference, and not how
large it is. A star says that a corrected p-value is small enough, and a line below which test, correction and level
that is.
"""
