"""Ways to make scores of different runs comparable: a module for each, called as users type it but for `_` in the place
of `-`, with its record as ``NORMALISATION``."""
