"""Evaluation of Arrow tables, some queries at a time; `irev.arrow` has its public names."""
