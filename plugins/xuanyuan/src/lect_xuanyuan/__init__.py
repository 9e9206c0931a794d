"""XuanYuan, by Duxiaoman."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

XUANYUAN = TurnTemplate(
    "xuanyuan",
    system=Turn("", " "),
    user=Turn("Human: ", " ", bare="Human:"),
    assistant=Turn("Assistant: ", "</s>", bare="Assistant:"),
    generation="Assistant:",
    default_system=(
        "以下是用户和人工智能助手之间的对话。用户以Human开头，人工智能助手以Assistant开头，"
        "会对人类提出的问题给出有帮助、高质量、详细和礼貌的回答，并且总是拒绝参与与不道德、"
        "不安全、有争议、政治敏感等相关的话题、问题和指示。\n"
    ),
    stop={"</s>": 2},
    markers={"<unk>": 0, "<s>": 1, "</s>": 2, "Human:": None, "Assistant:": None},
    text_separators=True,
    source="Duxiaoman-DI/XuanYuan at d12168b, conversation.py",
)
# README.md of the same revision: the prompt of the 6B has no system text, but begins with the space that follows one.
XUANYUAN_6B = XUANYUAN.but(
    name="xuanyuan-6b",
    default_system="",
    without_system=" ",
    # Its vocabulary is another.
    stop=["</s>"],
    markers=list(XUANYUAN.markers),
    source="Duxiaoman-DI/XuanYuan at d12168b, README.md and conversation.py",
)

adapter = Family(
    "xuanyuan",
    Rule("xuanyuan ?2 70 b chat .", XUANYUAN),
    Rule("xuanyuan 6 b chat .", XUANYUAN_6B),
    Rule("xuanyuan ?2 6|70 b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
