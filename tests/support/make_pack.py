"""Write the conformance pack: our tests' data as JSON Lines, with schemas and a runner, for any language.

    python tests/support/make_pack.py dist

The prompts are those of makers' own templates. The replies are answers as makers' templates write them, what public
issues report, and our own. No text of other projects' tests is in the pack: tests/data/replies/parse.json stays here.
"""

import json
import sys
import tomllib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import losses
import replies
from answers import MESSAGES, NOT_AS_THE_MODEL
from goldens import REPOSITORY, THE_DAY, cases, deviations

import lect
from lect.format.call_ids import respelled
from lect_kit import roundtrip
from lect_kit.answer import read_in_chunks
from lect_kit.conversations import TOOLS, dated
from lect_kit.goldens import REFUSAL

STATIC = REPOSITORY / "conformance"
VERSION = tomllib.loads((REPOSITORY / "core/pyproject.toml").read_text("utf-8"))["project"]["version"]
CHUNKINGS = ([1], [3, 1, 7], [40])
"""The sizes of chunks, over and over, in which every reply is streamed."""
# Zip files know no time before, and the same data must give the same file.
THE_TIME = (1980, 1, 1, 0, 0, 0)
QUESTION = {"role": "user", "content": "Hi"}


def goldens():
    """Yield `(family, slug, provenance, path)` of the golden files that a maker's template or code has made."""
    for path in sorted((REPOSITORY / "plugins").glob("*/tests/golden/*.json")):
        provenance = json.loads(path.read_text("utf-8"))["provenance"]
        if isinstance(provenance, dict) and "model" in provenance:
            yield path.parents[2].name, path.stem, provenance, path


def evidence(provenance):
    """Return what the prompts of a golden file come from."""
    made_by = provenance["made by"]
    return {
        "kind": "maker's template",
        "source": provenance["template"],
        **{key: provenance[key] for key in ("sha256", "confidence") if key in provenance},
        "note": made_by,
    }


def prompts():
    """Yield the lines of prompts.jsonl."""
    for family, slug, provenance, path in goldens():
        differs = deviations(family)
        for case, arguments, expected in cases(path):
            error = expected.get("error", "")
            # Where a template crashes by accident, nobody knows what is right; where we differ, we say why elsewhere.
            if (slug, case) in differs or (error and not error.startswith(REFUSAL)):
                continue
            given = {key: arguments.pop(key) for key in ("messages", "tools", "add_generation_prompt")}
            yield {
                "id": f"{slug}/{case}",
                "given": {"model": provenance["model"], **given, "options": arguments, "date": THE_DAY.isoformat()},
                "expected": {"refused": error} if error else {"text": expected["text"]},
                "evidence": evidence(provenance),
            }

    yield from lost_prompts()


def lost_prompts():
    """Yield conversations that public issues are about."""
    made = {lect.resolve(provenance["model"]).template: provenance for _, _, provenance, _ in goldens()}
    for case in of_issues("prompt"):
        template = lect.resolve(case["model"]).template
        yield {
            "id": f"issue/{case['id']}",
            "given": conversation(case) | {"add_generation_prompt": case["add_generation_prompt"]},
            "expected": {"text": losses.rendered(case).text},
            "evidence": {**evidence(made[template]), "note": f"the conversation is one of {case['issue']}"},
        }


def masks():
    """Yield the lines of masks.jsonl."""
    for case in of_issues("mask"):
        yield {
            "id": f"issue/{case['id']}",
            "given": conversation(case),
            "expected": {"trained": case["trained"]},
            "evidence": issue(case["issue"]) | {"note": case["lost"]},
        }


def conversation(case):
    given = {"tools": None, "options": {}, **case}
    return {key: given[key] for key in ("model", "messages", "tools", "options")} | {"date": THE_DAY.isoformat()}


def of_issues(task):
    """Return the cases of public issues of which lect loses nothing."""
    return [case for case in losses.cases() if case["task"] == task and not case.get("open")]


def lost_replies():
    """Yield outputs that public issues are about; those of tests/data/replies are lines already."""
    for case in of_issues("reply"):
        wanted = dict(case["expected"])
        extra = {key: wanted.pop(key) for key in ("problems", "trim") if key in wanted}
        request = losses.request(case)
        request["format"] = request["format"] or lect.resolve(case["model"]).template.reply.name
        yield {
            "id": f"issue/{case['id']}",
            "given": request,
            "expected": {"reading": wanted, **extra},
            "evidence": issue(case["issue"]) | {"note": case["lost"]},
        }


def all_replies():
    """Yield the lines of replies.jsonl."""
    others = {vector["input"] for vector in replies.vectors("parse")}
    for line in (*written(), *examples(), *adversarial(), *mistakes(), *field(), *lost_replies()):
        if line["given"]["text"] in others:
            continue
        line["given"]["sizes"] = list(CHUNKINGS)
        line["expected"]["streams"] = [
            {"sizes": sizes, "deltas": read_in_chunks(line["given"], sizes)[1]} for sizes in CHUNKINGS
        ]
        yield line


def given(text, *, model=None, format=None, prompt=None, starts_in_reasoning=None, tools=None, stop=()):  # noqa: A002
    return {
        "model": model,
        "format": format,
        "prompt": prompt,
        "starts_in_reasoning": starts_in_reasoning,
        "text": text,
        "tools": tools,
        "stop": list(stop),
    }


def written():
    """Yield answers as makers' templates write them: what was meant is known before anything is read."""
    seen = set()
    for _, slug, provenance, _ in goldens():
        model = provenance["model"]
        template = lect.resolve(model).template
        for case, message in MESSAGES.items():
            if template.reply is None or {(template.name, case), (template.name, None)} & NOT_AS_THE_MODEL.keys():
                continue
            (message,) = respelled([message], template.reply)
            tools = TOOLS if "tool_calls" in message else None
            answer = roundtrip.answer(template, [QUESTION], message, tools=tools)
            name = template.reply.name
            if answer is None or not asked(template, answer.prompt) or (name, answer.text) in seen:
                continue
            seen.add((name, answer.text))
            content, reasoning, calls = roundtrip.meant(message)
            called = [{"name": function, "arguments": arguments} for function, arguments in calls]
            yield {
                "id": f"{slug}/{case}",
                "given": given(answer.text, model=model, format=name, prompt=answer.prompt, tools=tools),
                "expected": {"reading": {"content": content, "reasoning": reasoning, "calls": called}},
                "evidence": {**evidence(provenance), "note": "the maker's template writes this message so"},
            }


def asked(template, prompt):
    """Return whether a prompt is one that a server sends: some formats write a turn differently once it is history."""
    return any(
        prompt == template.text([QUESTION], tools=tools, add_generation_prompt=True, **dated(template))
        for tools in (TOOLS, None)
    )


def examples():
    """Yield our examples of the formats: each has the same call, unless it is known to have none."""
    for name, known in sorted(replies.formats().items()):
        if name not in replies.NO_CALL:
            yield {
                "id": f"example/{name}",
                "given": given(known.example, format=name, starts_in_reasoning=replies.starts_inside(known) or None),
                "expected": {
                    "reading": {"calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]},
                    "problems": [],
                },
                "evidence": {"kind": "ours", "source": f"lect's example of the format of {known.names}"},
            }


def adversarial():
    """Yield our own replies on which parsers fail."""
    for vector in replies.vectors("parse-adversarial"):
        yield vector_line(vector) | {
            "evidence": {"kind": "ours", "source": "by the rules of the format", "note": vector["why"]}
        }


def mistakes():
    """Yield the mistakes of models that an issue reports, and those that are our own."""
    for vector in replies.mistakes():
        ours = vector["source"] == "-"
        if vector["expected"] and (ours or "#" in vector["source"]):
            source = {"kind": "ours", "source": "by the rules of the format"} if ours else issue(vector["source"])
            yield vector_line(vector) | {"evidence": source}


def issue(source):
    return {"kind": "public issue", "source": source}


def vector_line(vector):
    """Return a line for a reply that belongs to a format, and to no model in particular."""
    reading = {("calls" if key == "tool_calls" else key): value for key, value in vector["expected"].items()}
    stop = vector["options"].get("stop", ())
    problems = {"problems": vector["problems"]} if "problems" in vector else {}
    return {
        "id": vector["id"],
        "given": given(vector["input"], format=vector["format"], tools=vector["tools"] or None, stop=stop),
        "expected": {"reading": reading, **problems},
    }


def field():
    """Yield outputs of models as public issues report them, except those on whose meaning people differ."""
    for vector in replies.field():
        if not vector["contestable"]:
            wanted = [vector["expected"], *(vector["expected"] | other for other in vector["also_acceptable"])]
            first, *others = [
                {("calls" if key == "tool_calls" else key): value for key, value in each.items() if value is not None}
                for each in wanted
            ]
            model = vector["model"]
            yield {
                "id": vector["id"],
                "given": given(
                    vector["raw"],
                    model=model,
                    format=lect.resolve(model).template.reply.name,
                    starts_in_reasoning=vector["starts_in_reasoning"],
                    tools=vector["tools"],
                ),
                # White space at the ends is not judged.
                "expected": {"reading": first, **({"or": others} if others else {}), "trim": True},
                "evidence": issue(vector["source"]) | {"note": vector["note"]},
            }


def json_lines(lines):
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def write_pack(folder):
    """Write the pack into a folder; return its path."""
    texts = {path.name: path.read_text("utf-8") for path in sorted(STATIC.iterdir()) if path.is_file()}
    texts |= {name: (REPOSITORY / name).read_text("utf-8") for name in ("LICENSE", "NOTICE")}
    texts |= {
        "prompts.jsonl": json_lines(prompts()),
        "masks.jsonl": json_lines(masks()),
        "replies.jsonl": json_lines(all_replies()),
    }
    name = f"lect-conformance-{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.zip"
    with ZipFile(path, "w") as pack:
        for file, text in sorted(texts.items()):
            entry = ZipInfo(f"{name}/{file}", THE_TIME)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            pack.writestr(entry, text.encode("utf-8"), compresslevel=9)
    return path


if __name__ == "__main__":
    print(write_pack(Path(sys.argv[1]).resolve()))  # noqa: T201
