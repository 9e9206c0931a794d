"""The public names of `fastchat.model`, except for the loading of models."""

from lect_fastchat.model.loading import add_model_args, load_model
from lect_fastchat.model.model_adapter import get_conversation_template

__all__ = ["add_model_args", "get_conversation_template", "load_model"]
