"""The catalogue: what there is to say about each measure, and how a text given to ``-m`` is understood.

Everything is read off the records of `irev.measures`, so that what the command prints, what the documentation says and
what is computed cannot differ. `page` is what one measure's documentation consists of, `explanation` what a text asks
for, and `table` the list for a terminal.
"""
