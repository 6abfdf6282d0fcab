"""Ways to fuse: a module for each, called by the name that users type, with its record as ``METHOD``."""
