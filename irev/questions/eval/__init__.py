"""Evaluation: what runs score against relevance judgments."""
