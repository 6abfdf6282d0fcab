"""The gate for quality: conditions on runs, and on what became of them since a baseline.

`conditions` and `configuration` read what is required, `baseline` what runs are compared with. `checking` is the work
of ``irev check``: it has `cases` measure every condition for every run, `weighing` test the differences, `judging` find
states and `reasons`, and makes a `verdict` of it all, which `irev.output` shows.
"""
