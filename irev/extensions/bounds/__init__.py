"""How far unjudged documents could change a value: its lowest and highest, and its mean over drawn grades."""

from irev.base.registry import Extension

EXTENSION = Extension(__name__, "bounds of values, and expected values, over unjudged documents", bounds="extremes")
