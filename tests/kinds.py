"""The measures that any judgments will do for; the others need judgments of their kind, and tests of their own."""

from irev.measures import MEASURES
from irev.reading.fields import GRADES

OF_GRADES = {name: measure for name, measure in MEASURES.items() if measure.of == GRADES}
