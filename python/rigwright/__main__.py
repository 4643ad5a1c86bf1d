"""``python -m rigwright``: the command line."""

import sys

from rigwright.cli import main

if __name__ == "__main__":
    sys.exit(main())
