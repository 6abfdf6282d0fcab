"""Predict: whether offline differences of past experiments predicted online ones."""
