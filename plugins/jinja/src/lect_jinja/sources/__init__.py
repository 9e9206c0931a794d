"""Where a model's own template comes from: bounded readers of model directories and GGUF files."""
