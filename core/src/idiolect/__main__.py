"""`python -m idiolect`: the command line."""

import sys

from idiolect.cli import main

if __name__ == "__main__":
    sys.exit(main())
