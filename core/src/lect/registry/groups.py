"""The entry-point groups in which packages declare what they provide."""

GROUP = "lect"
HINTS = "lect.hints"
TEMPLATES = "lect.templates"
FALLBACK = "lect.fallback"
PATHS = "lect.paths"
REPLIES = "lect.replies"
NOTATIONS = "lect.notations"
COMMANDS = "lect.commands"
FUNCTIONS = "lect.functions"
ADAPTERS = (GROUP, FALLBACK, PATHS)
GROUPS = frozenset({*ADAPTERS, HINTS, TEMPLATES, REPLIES, NOTATIONS, COMMANDS, FUNCTIONS})
