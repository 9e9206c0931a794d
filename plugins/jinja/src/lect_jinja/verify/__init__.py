"""Is it what the maker meant? What a model directory, a file or a server sends, beside the maker's format."""
