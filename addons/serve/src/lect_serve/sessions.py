"""Sessions: what a prompt continues."""


class Turn:
    """What a request adds to a session."""
