"""What is no file of this machine: URLs, through fsspec, and data sets of ir_datasets."""

from irev.base.registry import Extension

EXTENSION = Extension(__name__, "read URLs and data sets of ir_datasets", remote="files")
