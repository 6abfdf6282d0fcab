"""Logs of impressions, clicks and conversions, read once, in memory that does not grow with them.

`schema` has the fields; `json_lines`, `delimited` and `parquet` make `rows` of a file, block by block, and `checks`
arrays of rows, whatever the format. `log` keeps these in `spill`, which writes them to a temporary file when they are
many, in parts by impression, and then puts one part after the other together: clicks with the impression they name.
"""
