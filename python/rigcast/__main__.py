"""``python -m rigcast``: the command line."""

import sys

from rigcast.cli import main

if __name__ == "__main__":
    sys.exit(main())
