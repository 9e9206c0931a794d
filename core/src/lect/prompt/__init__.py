"""Writing a prompt: messages, checked and normalized, through a template's program into segments of known origin."""
