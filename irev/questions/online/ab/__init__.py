"""A/B test: whether users of one bucket did otherwise than users of another."""
