"""Diff: which queries changed from one run to another, and which documents made them change."""
