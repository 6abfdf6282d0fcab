"""`irev check`: conditions on runs, and on what became of them since a baseline; and the verdict."""
