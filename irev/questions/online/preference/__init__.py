"""Preference: which of two runs users prefer, from clicks on interleaved lists."""
