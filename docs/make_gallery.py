"""Write the gallery, one page per family, from what the installed templates say and do: `python docs/make_gallery.py`.

The pages are committed, so that they can be read without a build; a test compares them with what this writes.
"""

import importlib
import json
from functools import cache
from pathlib import Path

from gallery_examples import TALK, conversation, generation_prompt, rendered, with_more, with_tool
from gallery_markdown import anchor, code, codes, folded, prose, table

import lect
from lect.facts import EVIDENCE
from lect.plugin import CHATML, DEFAULT
from lect.plugin.grammar import ReplyFormat

REPOSITORY = Path(__file__).parents[1]
GALLERY = REPOSITORY / "docs" / "gallery"
REGISTRIES = json.loads((REPOSITORY / "tests/data/models.json").read_text("utf-8"))
# FastChat has a different kind of rules and templates, and so a different kind of page.
FASTCHAT = "fastchat"
# Packages with only reply formats, which have their own page, or with a notation, which have no formats.
FAMILIES = sorted(
    path.parent.name
    for path in (REPOSITORY / "plugins").glob("*/pyproject.toml")
    if '"lect.templates"' in path.read_text("utf-8")
)
EXAMPLE = "\n\n```"
"""Where the example in a docstring begins."""

# Goldens that neither name their model nor are named after their template.
GOLDEN_OF = {"internlm2-document": ["internlm2-chat"], "internlm2-tools": ["internlm2-chat"]}

NEXT = """
Where to go next: [Which function do I want?](../reference/which-function.md) to write these prompts; [Debug a
prompt](../how-to/debug-a-prompt.md) if yours differs; [Reply formats](replies.md) for what the models answer.
"""
UNCLAIMED = "not claimed"
ADDS = "another turn only adds to the prompt"
CHANGES = (
    "an answer is not shown as the model writes it, or without its stop: [train with `unroll`]"
    "(../how-to/train-on-what-you-serve.md#history-that-changes)"
)
PLAIN_TEXT = "plain text: nothing can protect a prompt against a user who writes them"


@cache
def family(name):
    return importlib.import_module(f"lect_{name}")


def own_templates(name):
    """Return the templates of a family, in the order of its rules, without those of core."""
    return [template for template in family(name).adapter.templates.values() if template not in (CHATML, DEFAULT)]


def shortened(text, most=160):
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " ..."


# Models by their real names.


@cache
def known_ids():
    """Return the ids of the registries that a family knows, by template and kind."""
    found = {}
    for model in REGISTRIES["models"]:
        try:
            resolution = lect.resolve(model, fallback=False)
        except lect.UnknownModelError:
            continue
        found.setdefault((resolution.template, resolution.kind), []).append(model)
    return found


def ids_of(template):
    """Yield the models that have a format, by their ids, folded: they are there for a search to find."""
    for kind, what in (("chat", "Models"), ("base", "Base models")):
        ids = sorted(known_ids().get((template, kind), ()), key=str.lower)
        if ids:
            yield folded(f"{what} by name: {len(ids)}", f"{codes(ids)}\n")


def how_many_ids():
    """Return how many of the ids are known, and as of when."""
    counted = {"chat": 0, "base": 0}
    for (_, kind), ids in known_ids().items():
        counted[kind] += len(ids)
    return (
        f"Of {len(REGISTRIES['models']):,} model ids that public registries listed in {REGISTRIES['as of']}, "
        f"{sum(counted.values()):,} are known: {counted['chat']} chat models and {counted['base']} base models. "
        "Each stands under its format, folded, where a search finds it. Names that registries do not list, such as "
        "copies, quantisations and other sizes, are known by the same patterns.\n"
    )


# Provenance.


@cache
def goldens(name):
    """Return `(template, name of the file, what it holds)` for every golden file of a family."""
    found = []
    for file in sorted((REPOSITORY / "plugins" / name / "tests" / "golden").glob("*.json")):
        golden = json.loads(file.read_text("utf-8"))
        provenance = golden["provenance"]
        if "model" in provenance:
            templates = [lect.resolve(provenance["model"], adapter=name).template.name]
        else:
            templates = GOLDEN_OF.get(file.stem) or list(golden.get("templates", [file.stem]))
        found += [(template, file.stem, golden) for template in templates]
    return found


def checked_against(golden):
    """Return what golden prompts were made with."""
    provenance = golden["provenance"]
    if isinstance(provenance, str):
        return prose(provenance)
    if "sha256" in provenance:
        where = (
            f"from {code(provenance['template'])}, sha256 {code(provenance['sha256'])}; confidence: "
            f"{provenance['confidence']}"
        )
        return f"the template of {provenance['model']}, {where}; {len(golden['cases'])} conversations"
    return prose("; ".join(f"{key}: {words}" for key, words in provenance.items()))


def deviations(name):
    """Yield a line for each reason why a family differs from what it is checked against."""
    template_of = {stem: template for template, stem, _ in goldens(name)}
    cases = {}
    for row in json.loads((REPOSITORY / "plugins" / name / "deviations.json").read_text("utf-8")):
        cases.setdefault((template_of.get(row["slug"], row["slug"]), row["reason"]), []).append(row["case"])
    for (template, reason), slugs in cases.items():
        # Not `codes`, which escapes for the cells of tables.
        yield f"- `{template}`, {', '.join(f'`{each}`' for each in slugs)}: {prose(reason)}"


# Pages.


def facts(name, template):
    """Return what is known about a template."""
    names = (
        [(rule.pattern, rule.kind) for rule in family(name).adapter.rules if rule.template is template] if name else []
    )
    bos = (
        f"the text begins with {code(template.bos)}: encode it without adding special tokens"
        if template.bos
        else "not in the text"
    )
    return table(
        ("names", ", ".join(code(pattern) + (" (base)" if kind == "base" else "") for pattern, kind in names))
        if names
        else (),
        ("roles", codes(template.roles)),
        ("supports", ", ".join(sorted(template.capabilities)) or "user and assistant only"),
        ("options", codes(template.options)) if template.options else (),
        ("default system", code(shortened(template.default_system))) if template.default_system else (),
        ("generation prompt", generation_prompt(template)),
        ("stop", stops(template) or "none"),
        ("replies", replies(template)),
        ("BOS", bos),
        ("markers", codes(template.markers)),
        ("separators", PLAIN_TEXT if template.text_separators else "control tokens"),
        ("history", history([template])),
        ("source", prose(template.source)),
        ("evidence", EVIDENCE[template.evidence]) if template.evidence else (),
        *(
            ("checked against", checked_against(golden))
            for owner, _, golden in (goldens(name) if name else ())
            if owner == template.name
        ),
    )


def history(templates):
    """Say whether conversations that go on only add to their prompts in all these templates."""
    return ADDS if all(template.prefix_stable for template in templates) else CHANGES


def stops(template):
    """Return the stop strings, each with its token id, and the ids that have no text."""
    texts = [code(text) + (f" ({id_})" if id_ is not None else "") for text, id_ in template.stop.items()]
    ids = [str(id_) for id_ in template.stop_ids if id_ not in template.stop.values()]
    return ", ".join(texts) + (f"{'; ' if texts else ''}ids {', '.join(ids)}" if ids else "")


def replies(template):
    """Return how the model writes its replies, with a link if the grammar is a format with a name."""
    if template.reply is None:
        return "plain text"
    name = template.reply.name
    return f"[{name}](replies.md#{anchor(name)})" if name in lect.reply_formats() else code(name)


def template_section(name, template):
    return "\n".join(
        [
            f"## {template.name}\n",
            conversation(template),
            *with_tool(template),
            *with_more(template),
            facts(name, template),
            "",
            *ids_of(template),
        ]
    )


def template_link(template, page=""):
    return f"[{template.name}]({page}#{anchor(template.name)})"


def rule_row(rule):
    if isinstance(rule.template, ReplyFormat):
        template = f"none, but its replies are read as [{rule.template.name}](replies.md#{anchor(rule.template.name)})"
    elif rule.template is None:
        template = UNCLAIMED
    elif rule.template in (CHATML, DEFAULT):
        template = template_link(rule.template, "index.md")
    else:
        template = template_link(rule.template)
    return code(rule.pattern), rule.kind if rule.template else "", template, prose(rule.note)


def family_page(name):
    """Return the page of a family."""
    module = family(name)
    differs = list(deviations(name))
    return "\n".join(
        [
            f"# {name}\n",
            f"{module.__doc__.strip().partition(EXAMPLE)[0]} [How to read this page](index.md#how-to-read-a-page).\n",
            "Models are known by their names: [Which name gets which template](#which-name-gets-which-template).\n",
            *(template_section(name, template) for template in own_templates(name)),
            "## Which name gets which template\n",
            "The first pattern that fits a name decides:\n",
            table(*map(rule_row, module.adapter.rules), header=("names", "kind", "template", "why")),
            "",
            "## Where it differs\n",
            *(differs or ["Nowhere: every prompt that was compared is equal."]),
            "",
        ]
    )


def fastchat_row(conversation, template):
    """Return the row of one of FastChat's templates; the example is the second question, because many prompts begin
    with something else."""
    if template is None:
        return (
            code(conversation.name),
            "none",
            codes(conversation.roles),
            "",
            "",
            "cannot be written, not even by FastChat",
        )
    prompt = rendered(template, [*TALK[:2], {"role": "user", "content": "Bye!"}])
    first = next(index for index, segment in enumerate(prompt.segments) if segment.turn == 2)
    return (
        code(conversation.name),
        conversation.sep_style.name,
        ", ".join(code(role) if role else "none" for role in conversation.roles),
        "plain text" if template.text_separators else "markers",
        stops(template) or "none",
        code("".join(segment.text for segment in prompt.segments[first:])),
    )


FASTCHAT_COLUMNS = ("template", "style", "roles", "separated by", "stop", "a question, and where the answer begins")
FASTCHAT_INTRODUCTION = """\
FastChat's templates, faults included, for models that no family claims: [Coming from
FastChat](../how-to/coming-from-fastchat.md). By name, one of them is `fastchat:koala_v1`.

They are in one table, because most differ only in their separators. The example is the second question of a
conversation, up to where the answer begins; the whole prompt often begins with more, such as a default system text, or
a long example in `one_shot`. Where turns are separated by plain text, nothing can protect a prompt against a user who
writes it. *Markers* are spelled like control tokens; FastChat does not say whether a model's tokenizer knows them as
such. A whole prompt: `lect prompt MODEL TEXT --adapter fastchat:NAME --show-segments`.
"""


def fastchat_page():
    """Return the page of FastChat's templates."""
    conversations = family(FASTCHAT).conv_templates.values()
    templates = {template.name: template for template in family(FASTCHAT).adapter.list_templates()}
    files = sorted((REPOSITORY / "plugins" / FASTCHAT / "tests" / "golden").glob("*.json"))
    said = {file.stem: json.loads(file.read_text("utf-8"))["provenance"].partition(". ")[0] for file in files}
    return "\n".join(
        [
            f"# {FASTCHAT}\n",
            FASTCHAT_INTRODUCTION,
            table(
                ("history", history(templates.values())),
                ("source", templates["one_shot"].source.partition(":")[0]),
                *(("checked against", f"{code(stem)}: {said[stem]}") for stem in said),
            ),
            "",
            f"## All {len(conversations)} templates\n",
            table(*(fastchat_row(each, templates.get(each.name)) for each in conversations), header=FASTCHAT_COLUMNS),
            "",
            "## Where it differs\n",
            *(list(deviations(FASTCHAT)) or ["From FastChat nowhere: every prompt that was compared is equal."]),
            "\nFrom the makers in many places: [FastChat and the makers](../reference/fastchat-differences.md).\n",
        ]
    )


INTRODUCTION = """\
# Gallery

Every format that lect knows, with examples: one page for each family, one for FastChat, and one for
[reply formats](replies.md). To find the format of a model, search for its id, or choose its family. The pages are
generated from the code, and the tests fail if the two differ.
"""
HOW_TO_READ = """\
## How to read a page

In the examples, **input from the caller is bold**, with a coloured background where there are colours; the rest is the
template's own text. A role is bold where a format copies it. A space at the end of a line is shown as `␣`, a newline at
the very end of a prompt as `⏎`; the copy button copies them as what they are. Tables show a newline as `\\n`. Long
examples are folded. Where a format writes the date, it is 26 July 2024.

The names on each page are [patterns](../reference/hooks.md#rule). *Base* means that the model was never trained to
chat: see [Base models](../explanation/base-models.md). *Stop* lists the strings at which a reply ends, with their token
ids where the maker states them. *History* says whether a conversation that goes on only adds to its prompt
(`template.prefix_stable`), reasoning included: servers that cache prompts and trainers rely on that. *Checked against*
names the source of the prompts with which the tests compare the template, byte for byte, and how far that copy can be
trusted; without it, the template was written from its source alone. *Evidence* says that no file of
the maker's was at hand: a format is attested if the two independent projects of *source* state the same, and
second-hand if *source* names who copies or converts the maker's file. The other fields are explained in
[Templates](../reference/templates.md#template).
"""


def template_links(name):
    if name == FASTCHAT:
        return f"[all {len(family(name).conv_templates)}]({name}.md)"
    return ", ".join(template_link(template, f"{name}.md") for template in own_templates(name))


def index_page():
    """Return the page that links to the others, with the templates that belong to no family."""
    rows = [
        (
            f"[{name}]({name}.md)",
            family(name).__doc__.strip().partition("\n")[0].partition(". ")[0].rstrip("."),
            template_links(name),
        )
        for name in FAMILIES
    ]
    return "\n".join(
        [
            INTRODUCTION,
            how_many_ids(),
            table(*rows, header=("family", "", "templates")),
            "",
            "Two templates belong to core: [default](#default) and [chatml](#chatml).\n",
            HOW_TO_READ,
            template_section(None, DEFAULT),
            template_section(None, CHATML),
            "```{toctree}\n:hidden:\n",
            *FAMILIES,
            "replies",
            "```",
            "",
        ]
    )


def page_of(name):
    return fastchat_page() if name == FASTCHAT else family_page(name)


def pages():
    """Return all pages by path."""
    written = {GALLERY / f"{name}.md": page_of(name) + NEXT for name in FAMILIES}
    return {GALLERY / "index.md": index_page(), **written}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
