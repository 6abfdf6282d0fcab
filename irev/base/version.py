"""The version of irev, for records and messages."""

__version__ = "0.1.0"
