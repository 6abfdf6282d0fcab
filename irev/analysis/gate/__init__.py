"""The gate for quality: conditions on runs, and on what became of them since a baseline.

`conditions` and `configuration` read what is required, `baseline` what runs are compared with, and `judging` makes a
`verdict` of it all, which `irev.output.reports.check` and `irev.output.services` show.
"""
