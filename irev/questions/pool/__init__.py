"""Pool: which documents of some runs are to be judged, and what each run contributes to them.

`candidates` brings the runs together by query, a module for each way to choose takes documents from them, and `answer`
makes the pool of these.
"""
