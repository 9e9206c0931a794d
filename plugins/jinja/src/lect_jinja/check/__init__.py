"""Is it what the maker meant? What a model directory, a file or a server sends, beside the maker's format.

`audit` needs no maker's format, `lock` writes down what is in force, all else verifies. It imports `engine`, `files`
and `identity`.
"""

SEED = "1"
"""Which requests are composed by default."""
MOST = 1000
"""How many requests are compared by default; a server, to which each goes by itself, is asked fewer."""
MOST_OF_A_SERVER = 200
