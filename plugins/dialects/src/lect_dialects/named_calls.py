"""Calls with the name of the function before its JSON arguments."""

from lect.plugin.grammar import NAMED_JSON_IN_TAGS, CallSyntax, Channels, Code, Grammar, NamedJson, ReplyFormat, Section

FUNCTIONARY_V31 = ReplyFormat(
    Grammar(
        "functionary_v31",
        sections=(
            Section((NAMED_JSON_IN_TAGS,)),
            Section((CallSyntax(Code("python")),), ("<|python_tag|>",)),
        ),
    ),
    stop=("<|eot_id|>", "<|eom_id|>"),
    names="Functionary v3.1",
    example='<function=get_weather>{"city": "Paris"}</function>',
)

# The prompt ends with the marker that starts the first header.
FUNCTIONARY_V32 = ReplyFormat(
    Grammar(
        "functionary_v32",
        channels=Channels(
            start=(">>>",),
            bodies=(("\n", ""),),
            shape=r"[\w.:/-]+",
            characters=r"[\w.:/-]",
            to=r"(.+)",
            content=("all",),
            call=CallSyntax(NamedJson("code")),
            restart=True,
        ),
    ),
    stop=("<|eot_id|>", "<|end_of_text|>"),
    names="Functionary v3.2",
    example='get_weather\n{"city": "Paris"}',
)
