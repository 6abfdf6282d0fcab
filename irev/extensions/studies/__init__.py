"""Experiments planned: ``irev power``, how many queries it takes to find a difference."""

from irev.base.extensions import Extension

EXTENSION = Extension(__name__, "plan experiments: how many queries it takes", commands={"power": ()})
