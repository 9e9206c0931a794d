"""Gemma 4 on the day of its release: every message is a turn, results of tools too, and thoughts are not written."""

from lect.plugin import Chat, Schema, Writer
from lect_gemma.gemma3 import speaker
from lect_gemma.gemma4 import write_calls, write_content, write_opening, write_responses
from lect_gemma.schema import ITSELF, QUOTE, Notation

IN_LINES = {"image": "\n\n<|image|>\n\n", "audio": "<|audio|>", "video": "\n\n<|video|>\n\n"}


class FirstNotation(Notation):
    """Writes schemas with an own order of keys, and with commas that depend on what came before."""

    def _parameter(self, schema: Schema) -> None:
        out, kind, items = self.out, schema.text("type").upper(), schema.at("items")
        self._description(schema)
        if schema.get("nullable"):
            out.append("nullable:true,")
        if kind == "STRING":
            self._enum(schema)
        elif kind == "OBJECT" or (kind == "ARRAY" and items.fields):
            is_first = not (schema.get("description") or schema.get("nullable"))
            out.append("," if is_first else "")
            if kind == "OBJECT":
                self._properties(schema)
                if schema.get("required"):
                    out.append(",required:")
                    self.names(schema.get("required"), *schema.path, "required")
            else:
                out.append("items:{")
                self._items(items)
                out.append("}")
            out.append("" if is_first else ",")
        out += "type:", QUOTE, kind, QUOTE, "}"


def gemma4_first(chat: Chat, out: Writer) -> None:
    """Write the first Gemma 4."""
    notation = FirstNotation(chat, out, null=False, without=ITSELF)
    media = responses = False
    for message in out.turns(write_opening(chat, out, notation, think="<|think|>", reads_parts=False)):
        out += "<|turn>", speaker(message), "\n"
        write_calls(chat, out, notation, message, texts=True)
        responses = write_responses(chat, out, notation, message)
        write_content(out, message, IN_LINES)
        media = any(part.type in IN_LINES for part in message.parts)
        if not responses or message.parts or message.content:
            out.append("<turn|>\n")
    if chat.add_generation_prompt and (media or not responses):
        out.append("<|turn>model\n")
