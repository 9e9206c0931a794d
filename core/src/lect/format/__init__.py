"""Templates: what a format is, the prompts that it writes, and what it does with answers."""
