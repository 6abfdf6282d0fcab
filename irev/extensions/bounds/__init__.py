"""How far unjudged documents could change a value: its lowest and highest, and its mean over drawn grades."""

from irev.base.extensions import Extension

EXTENSION = Extension(__name__, "bounds of values, and expected values, over unjudged documents", bounds="extremes")
