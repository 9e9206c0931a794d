"""Reading a reply: grammars as data, and the engine that follows one, however the text arrives."""
