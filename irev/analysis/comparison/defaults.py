"""What comparisons are made by unless asked otherwise, and which queries count in them, in words."""

DEFAULT_MEASURES = ("AP", "nDCG@10")
"""What runs are compared by unless asked otherwise."""

BOTH = "those that all runs have"
JUDGED = "those that are judged and that all runs have"
ALL = "all that any of the files has, one that a file lacks as 0"
