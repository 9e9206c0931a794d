"""What people import from `fastchat.model`, loading of models aside."""

from lect_fastchat.model.model_adapter import get_conversation_template

__all__ = ["get_conversation_template"]
