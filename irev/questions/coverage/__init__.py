"""Coverage: how much of the runs was judged, and how far missing judgments could change scores."""
