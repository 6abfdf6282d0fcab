"""Records to reports: for each record one module, which decides what people and programs are shown of it.

`irev.rendering` writes a `irev.report.Report` in any style; `irev.wording` says how numbers are worded.
"""
