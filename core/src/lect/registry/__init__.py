"""From a model path to a template: which packages are installed, what each says of a path, and who decides."""
