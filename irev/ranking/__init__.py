"""Judgments and runs to rankings: the only place that orders documents, breaks ties, joins and cuts."""
