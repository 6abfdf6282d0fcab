"""How many bytes each stage of reading and ranking a run touches, per line: counted, not timed.

    python benchmarks/passes.py                       # a chunk of the input msmarco, made if it is missing
    python benchmarks/passes.py RUN QRELS             # of any other run

The text of a chunk is given to irev as an array that counts: each operation of numpy on it, or on what was made of it,
adds the bytes of its operands and of its result. A byte that is read by two operations counts twice: that is what a
pass is. Times of the same stages, each alone and all of them together, stand beside it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from irev.base.settings import Settings
from irev.ranking import hits
from irev.reading import block, chunks, fields, ids, numbers, qrels
from irev.reading.block import Tags
from irev.reading.formats import trec
from irev.reading.sources import Source

ROUNDS = 30
TOUCHED: Counter[str] = Counter()


class Counting(np.ndarray):
    """An array whose operations count the bytes that they read and write, under the name of the stage."""

    stage = ""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **named: Any) -> Any:
        plain = [each.view(np.ndarray) if isinstance(each, Counting) else each for each in inputs]
        if out is not None:
            named["out"] = tuple(each.view(np.ndarray) if isinstance(each, Counting) else each for each in out)
        result = getattr(ufunc, method)(*plain, **named)
        _count(*plain, result)
        if out is not None:
            return out[0]
        return result.view(Counting) if isinstance(result, np.ndarray) else result

    def __array_function__(self, function: Any, types: Any, arguments: Any, named: Any) -> Any:
        result = function(*_plain(arguments), **_plain(named))
        _count(*(each for each in arguments if isinstance(each, np.ndarray)), result)
        return result.view(Counting) if isinstance(result, np.ndarray) else result

    def __getitem__(self, key: Any) -> Any:
        key = _plain(key)
        result = self.view(np.ndarray)[key]
        if isinstance(key, np.ndarray):
            _count(key, result, result)  # as many bytes of the source as of the result
        return result.view(Counting) if isinstance(result, np.ndarray) else result


def _plain(value: Any) -> Any:
    """The same without arrays that count."""
    if isinstance(value, Counting):
        return value.view(np.ndarray)
    if isinstance(value, tuple | list):
        return type(value)(_plain(each) for each in value)
    return {name: _plain(each) for name, each in value.items()} if isinstance(value, dict) else value


def _count(*arrays: Any) -> None:
    TOUCHED[Counting.stage] += sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))


def main(run: Path, judged: Path) -> None:
    settings = Settings()
    judgments = qrels.read(Source(str(judged)), settings)
    buffer = chunks.Buffer(ids.padded(chunks.SIZE))
    chunks.Chunks(Source(str(run)), whole_queries=True).read(buffer)
    parser = block.Parser(trec.RUN, settings, 1)

    def of(text: Any) -> dict[str, Callable[[], Any]]:
        """What is done to a chunk, a stage each, in this order."""
        split = fields.split(text, buffer.begin, buffer.end, trec.RUN)
        block = parser._rows(text, split, True)
        query, document = split.span("query"), split.span("document")
        seeds = np.repeat(np.asarray(block.queries.keys), np.diff(np.append(block.first, split.rows)))
        return {
            "separators, fields": lambda: fields.split(text, buffer.begin, buffer.end, trec.RUN),
            "where queries change": lambda: ids.changes(text, query[0], query[1] - query[0]),
            "keys of documents": lambda: ids.keys(text, document[0], document[1] - document[0], seeds),
            "scores": lambda: numbers.decimals(text, *split.span("score")),
            "repeated documents": lambda: parser._without_repeats(block),
            "run ids": lambda: Tags.of(text, split),
            "ranks, judged documents": lambda: hits.hits(block, judgments, settings),
        }

    loads = ids.words_at_any_offset
    for module in (ids, numbers):  # words are views of a text's memory, which do not know whose it is
        module.words_at_any_offset = lambda text: loads(text).view(type(text))
    lines = fields.split(buffer.text, buffer.begin, buffer.end, trec.RUN).rows
    counting = of(buffer.text.view(Counting))
    plain = of(buffer.text)
    TOUCHED.clear()
    print(f"{'stage':28}{'bytes per line':>16}{'passes':>9}{'ns per line':>13}")
    size = buffer.end - buffer.begin
    total = 0.0
    for Counting.stage, work in counting.items():
        work()
        took = _least(plain[Counting.stage])
        total += took
        touched = TOUCHED[Counting.stage]
        print(f"{Counting.stage:28}{touched / lines:16.0f}{touched / size:9.1f}{took / lines * 1e9:13.1f}")
    touched = sum(TOUCHED.values())
    print(f"{'together':28}{touched / lines:16.0f}{touched / size:9.1f}{total / lines * 1e9:13.1f}")
    took = _least(lambda: parser.digest(buffer, lambda block: hits.hits(block, judgments, settings), True))
    print(f"{'as they follow one another':28}{'':25}{took / lines * 1e9:13.1f}")
    print(f"a line of {size / lines:.1f} bytes, {lines} of them")


def _least(work: Callable[[], Any]) -> float:
    """The least processor time that it took."""
    took = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        took.append(time.process_time() - begin)
    return min(took)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        import generate

        folder = Path(__file__).with_name("data")
        generate.generate(["msmarco"], folder, generate.seed_of(folder) or generate.DEFAULT_SEED)
        main(folder / "msmarco.run", folder / "msmarco.qrels")
