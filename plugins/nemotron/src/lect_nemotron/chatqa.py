"""ChatQA 1.5: plain lines, for questions about a context that the user gives."""

from lect.plugin import Chat, Template, Writer


def chatqa(chat: Chat, out: Writer) -> None:
    """Write ChatQA 1.5: the maker's system text always, and the opening of an answer after a question at the end."""
    out += chat.bos, "System: ", chat.default_system, "\n\n"
    messages = chat.without_system
    for message in out.turns(messages):
        out += "User: " if message.role == "user" else "Assistant: ", message.content.strip(), "\n\n"
    if messages and messages[-1].role == "user":
        out.append("Assistant:")


CHATQA = Template(
    "chatqa-1.5",
    chatqa,
    roles=["user", "assistant"],
    default_system=(
        "This is a chat between a user and an artificial intelligence assistant. The assistant gives helpful, "
        "detailed, and polite answers to the user's questions based on the context. The assistant should also indicate "
        "when the answer cannot be found in the context."
    ),
    capabilities=[],
    bos="<|begin_of_text|>",
    stop={"<|end_of_text|>": 128001},
    markers=[
        "System: ", "User: ", "Assistant: ", "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>",
        "<|start_header_id|>", "<|end_header_id|>", "<|reserved_special_token_{}|>",
    ],
    text_separators=True,
    source="nvidia/Llama3-ChatQA-1.5-8B, tokenizer_config.json",
)  # fmt: skip
