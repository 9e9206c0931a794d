"""How a model's own template says that replies are written, and which reply format reads them.

It imports `engine` and `files`.
"""
