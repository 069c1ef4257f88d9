"""`python -m desktop_app`, the `galley` command and the frozen program begin here."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line of this process; gives its exit status."""
    if sys.argv[1:] == ["--decode-media"]:  # decoder_process.ARGUMENT
        from desktop_app.audio import decoder

        decoder.main()
    try:
        import multiprocessing

        multiprocessing.freeze_support()  # in a frozen program the engine process begins here too, and goes no further

        from desktop_app import cli, folders, private

        private.begin()
        private.close_to_others(folders.data())
        private.close_to_others(folders.cache())
        return cli.main(sys.argv[1:])
    except KeyboardInterrupt:  # before the command line could say anything
        return 130


if __name__ == "__main__":
    sys.exit(main())
