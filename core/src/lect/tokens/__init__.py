"""Token ids and loss weights, from the segments of a prompt."""
