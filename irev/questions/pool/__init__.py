"""Pool: which documents of some runs are to be judged, and what each run contributes to them.

`candidates` brings the runs together by query and has the ways to choose documents from them, and `answer` makes the
pool of these.
"""
