"""Findings to bytes: reports, the styles they are written in, services that take them, figures."""
