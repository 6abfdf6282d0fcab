"""Records to reports: for each record one module, which decides what people and programs are shown of it.

`irev.output.styles` writes a `irev.output.report.Report` in any style; `irev.base.text` says how numbers are worded.
"""
