"""RBO: how far the rankings of two runs overlap, query by query, without judgments."""
