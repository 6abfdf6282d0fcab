"""Trend: how results changed from build to build, and where they fell by more than chance."""
