"""Validate: everything that is wrong with judgments and runs, and what is legal but usually a mistake.

Errors are what evaluation refuses, found by the same readers; a reader that is asked to collects them instead of
raising the earliest. Warnings and the rules of a track for submissions are checked here, block by block, so that a run
of any length streams by.

`answer` reads each file, `run_rows` looks at each row of a run, and `checks` has what both look for beside that.
"""
