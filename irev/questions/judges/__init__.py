"""Judges: how far those who judged the same documents agree, and what that does to runs."""
