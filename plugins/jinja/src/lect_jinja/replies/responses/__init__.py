"""Response templates: how transformers reads replies, as `tokenizer_config.json` of a model says it."""
