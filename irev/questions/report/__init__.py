"""Report: a self-contained page about runs, or the sheet of one."""
