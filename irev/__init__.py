"""irev evaluates ranked retrieval: relevance judgments and runs in, the numbers that trec_eval prints out."""

__version__ = "0.1.0"
