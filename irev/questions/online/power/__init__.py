"""Power: how many users an A/B test takes, or interleaving, from a past log."""
