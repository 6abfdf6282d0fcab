"""Runs evaluated elsewhere: by Dask, Slurm, or any executor of `concurrent.futures`."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__, "evaluate runs on clusters: Dask, Slurm, executors of concurrent.futures", executors="executors"
)
