"""Agree: whether two measures, sets of judgments or sets of queries order runs alike."""
