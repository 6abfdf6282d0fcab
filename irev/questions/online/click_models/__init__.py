"""Click models: how users of a log go through lists, and which model says best what they click."""
