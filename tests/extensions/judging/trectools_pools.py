"""What trectools pools, from a process of its own: it takes long to import, and warns.

Takes a strategy, a number and files of runs; writes ``{query: [document, …]}`` as JSON, documents sorted.
"""

import json
import sys
import warnings


def main(strategy: str, number: str, *paths: str) -> None:
    warnings.simplefilter("ignore")
    from trectools import TrecPoolMaker, TrecRun

    pool = TrecPoolMaker().make_pool([TrecRun(path) for path in paths], strategy=strategy, topX=int(number)).pool
    json.dump({str(query): sorted(documents) for query, documents in pool.items()}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
