"""Families of measures that need judgments of more than grades: a module each, imported once a name is of no other."""
