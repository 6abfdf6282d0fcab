"""Curves: runs by recall, by cutoff and by query, as numbers and as pictures."""
