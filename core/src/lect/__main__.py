"""`python -m lect`: the command line."""

import sys

from lect.cli import main

if __name__ == "__main__":
    sys.exit(main())
