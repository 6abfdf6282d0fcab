"""Clicks of users: logs of what was shown and clicked.

`simulation` makes such a log of judgments and runs, with the users of `models/`.
"""
