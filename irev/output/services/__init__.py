"""A verdict as the files that services for continuous integration read.

Each module is for one reader, and its functions are pure: from an `irev.analysis.gate.verdict.Verdict` to text or
bytes. Nothing in these tells when or where it was made, so the same verdict gives the same bytes. Ids, and names of
runs and files, are from strangers: control characters and broken UTF-8 are shown escaped, and what a format could take
for its own signs is escaped as that format asks.
"""
