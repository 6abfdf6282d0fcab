"""``python -m irev`` and the command ``irev``."""

import sys


def main() -> int:
    """Run the command line; the exit status."""
    try:
        from irev.cli import run
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
