"""irev evaluates ranked retrieval: relevance judgments and runs in, the numbers that trec_eval prints out, ten times faster."""

__version__ = "0.1.0"
