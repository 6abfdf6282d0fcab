"""Off-policy: what another ranking would have got from the users of a log."""
