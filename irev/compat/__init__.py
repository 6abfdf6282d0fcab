"""The interfaces of other packages, computed by irev, for programs that were written for them.

There is a module for each, which is called as the package is.
"""
