"""A module per family of measures; each registers its own."""
