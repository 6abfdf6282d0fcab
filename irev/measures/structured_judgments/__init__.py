"""Families of measures that few evaluations ask for, those of judgments of more than grades above all: a module each,
imported once a name is of no other."""
