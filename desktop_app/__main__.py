"""`python -m desktop_app`, the `galley` command and the frozen program begin here."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line of this process; gives its exit status."""
    try:
        import multiprocessing

        from desktop_app import cli

        multiprocessing.freeze_support()  # in a frozen program the engine process begins here too
        return cli.main(sys.argv[1:])
    except KeyboardInterrupt:  # before the command line could say anything
        return 130


if __name__ == "__main__":
    sys.exit(main())
