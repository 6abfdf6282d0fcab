"""Compare: whether the differences between runs are real, and how large they are."""
