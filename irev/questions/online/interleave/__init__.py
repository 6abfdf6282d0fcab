"""Interleave: lists made of two runs, to be shown to users."""
