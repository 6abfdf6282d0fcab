"""Explain: what the value of a measure is made of for one query, or which queries there are to explain."""
