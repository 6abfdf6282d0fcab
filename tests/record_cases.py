"""Write what irev does now into the named cases: python tests/record_cases.py NAME...

An explicit command for a person, who reads the difference afterwards; no test calls it. It writes `stdout`
always, `stderr` when something was said, `status` when it is not 0.
"""

import sys

from test_cases import FOLDER, NAMES, run


def record(name: str) -> None:
    """Replace the expectations of one case."""
    outcome = run(name)
    folder = FOLDER / name
    (folder / "stdout").write_bytes(outcome.stdout)
    status = f"{outcome.status}\n".encode() if outcome.status else b""
    for file, content in (("stderr", outcome.stderr.encode()), ("status", status)):
        if content:
            (folder / file).write_bytes(content)
        else:
            (folder / file).unlink(missing_ok=True)
    print(f"{name}: status {outcome.status}, {len(outcome.stdout)} + {len(outcome.stderr)} bytes")


def main(names: list[str]) -> int:
    """Record the named cases; nothing is recorded when a name is unknown."""
    unknown = sorted(set(names) - set(NAMES))
    if not names or unknown:
        print("usage: python tests/record_cases.py NAME...", file=sys.stderr)
        for name in unknown:
            print(f"no case {name}: tests/cases/{name}/cmd does not exist", file=sys.stderr)
        return 2
    for name in names:
        record(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
