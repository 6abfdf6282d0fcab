"""How runs compared look, wherever that is shown.

`compact` is the report that most people need, `rows` has what stands in its tables, `words` the sentences around them.
Intervals stand before p-values, since a p-value says how sure one may be that there is a difference, and not how large
it is. A star says that a corrected p-value is small enough, and a line below which test, correction and level that is.
"""
