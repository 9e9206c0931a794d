"""The files of a model: bounded readers of model directories and GGUF files. They import no other folder."""
