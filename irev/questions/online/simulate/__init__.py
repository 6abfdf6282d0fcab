"""Simulate: a log of users who click by a model."""
