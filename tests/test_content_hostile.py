"""Text that imitates a model's markers is reported in every field and never changed; other odd text passes
unchanged."""

import json

import hostile
import pytest
from counting import cpu_seconds, lines_run
from goldens import battery
from hostile import related
from sampling import in_turn
from together import together

from lect import ControlTextError, MessageError, Origin, RefusedError
from lect.facts import STANDARD_ROLES
from lect.prompt.segments import is_role

RUNAWAY = 0.35
"""CPU seconds, ten times what the slowest text below took."""
IMITATIONS = [
    case
    for case in hostile.cases()
    if case["family"] not in ("any", *hostile.NOT_OURS) and case["threat"] != "role-spoof"
]
CONTENTS = [
    case
    for case in hostile.cases()
    if case["family"] != "any" and "content" in case and case["field"].endswith(".content")
]


def cases(*threats):
    found = [case for case in hostile.cases() if case["threat"] in threats]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def templates():
    return in_turn(hostile.installed().items(), 3)


def rendered_or_refused(template, arguments, **policy):
    try:
        return template.render(**arguments, **policy)
    except RefusedError:
        return None


def reached(rendered, path):
    """Return the segments that come from a field, from a field inside it, or from one that contains it."""
    return [segment for segment in rendered.segments if segment.path and related(segment.path, path)]


def text_of(case):
    """Return the whole text of a case, with parts joined."""
    return (
        case["content"]
        if "content" in case
        else "".join(part["text"] for message in case["messages"] for part in message["content"])
    )


def arrived(rendered, path, wanted):
    """Say whether everything wanted of a field is in the prompt, in one piece."""
    segments = reached(rendered, path)
    whole = "".join(segment.text if segment in segments else "\0" for segment in rendered.segments)
    return all(each in whole for each in wanted)


def aimed(template, case, wanted):
    """Return a request in which the markers of a case reach the prompt, and their path: the field of the case, or else
    a user's text.

    A format may refuse a field, have no place for it, cut it off where a thought ends, or write it character by
    character.
    """
    arguments, path = hostile.request(case)
    rendered = rendered_or_refused(template, arguments)
    if rendered is not None and arrived(rendered, path, wanted):
        return arguments, path
    if rendered is not None and not any(segment.text.strip() for segment in reached(rendered, path)):
        assert not [control for control in rendered.controls if related(control.path, path)]
        # Nothing is silently lost except ids, which are not counted.
        named = [unused.path for unused in rendered.unused]
        assert path[-1] == "tool_call_id" or any(related(each, path) or each == ("options", path[0]) for each in named)
    return hostile.request({"field": "user.content", "content": text_of(case)})


def check_reported(template, arguments, path):
    """Assert that every policy treats the markers in a field correctly, and return them."""
    rendered = template.render(**arguments)
    segments = reached(rendered, path)
    for control in rendered.controls:
        assert control.marker in template.markers
        assert rendered.text[control.position :].startswith(control.marker)
        assert any(segment.path == control.path for segment in segments)
        if control.start >= 0:
            assert hostile.value_at(arguments, control.path)[control.start :].startswith(control.marker[:1])
    with pytest.raises(ControlTextError) as caught:
        template.render(**arguments, on_control="raise")
    assert caught.value.controls == rendered.controls[:10]
    allowed = template.render(**arguments, on_control="allow")
    assert (allowed.text, allowed.controls) == (rendered.text, ())
    assert template.text(**arguments) == rendered.text
    return [control.marker for control in rendered.controls]


def stands_in(text, rendered, path):
    """Say whether a text is in a prompt unchanged, except for white space that the format trims, or as JSON, even
    character by character."""
    pieces = [segment.text for segment in reached(rendered, path)]
    if pieces and all(piece[:1] == piece[-1:] == '"' for piece in pieces):
        return "".join(map(json.loads, pieces)) == text
    if len(pieces) == 1 and pieces[0].startswith('{"content": '):
        return json.loads(pieces[0])["content"] == text
    if len(pieces) == 1 and pieces[0].lstrip().startswith('"0": '):
        return "".join(json.loads(f"{{{pieces[0]}}}").values()) == text
    return text in rendered.text or text.strip() in rendered.text


# Imitations of a family


def test_every_family_of_the_battery_is_spoken_by_a_template_or_has_a_reason_not_to_be():
    ids = {case["id"] for case in hostile.cases()}
    families = [
        family for table in (hostile.SPOKEN, hostile.NOT_OURS, {"any": ""}) for family in table if family not in ids
    ]
    assert sorted(families) == sorted({case["family"] for case in hostile.cases()})


def test_every_template_is_imitated_by_a_case():
    aimed_at = {name for case in IMITATIONS if case["id"] not in hostile.HARMLESS for name in hostile.spoken_by(case)}
    missed = hostile.installed().keys() - aimed_at
    assert [name for name in sorted(missed) if not hostile.is_never_imitated(name)] == []


@together("case", [case for case in IMITATIONS if case["id"] not in hostile.HARMLESS], ids=lambda case: case["id"])
def test_a_family_reports_every_marker_of_an_imitation(case):
    wanted = hostile.imitated(text_of(case)) | set(hostile.SEPARATORS.findall(text_of(case)))
    assert wanted
    assert hostile.spoken_by(case)
    for name in hostile.spoken_by(case):
        template = hostile.installed()[name]
        arguments, path = aimed(template, case, wanted)
        markers = check_reported(template, arguments, path)
        assert [each for each in wanted if not any(each in marker for marker in markers)] == [], (
            f"{name} lacks a marker"
        )


@pytest.mark.parametrize(
    "case", [case for case in IMITATIONS if case["id"] in hostile.HARMLESS], ids=lambda case: case["id"]
)
def test_harmless_text_is_not_taken_for_a_marker(case):
    arguments, _ = hostile.request(case)
    for name in hostile.spoken_by(case):
        assert hostile.installed()[name].render(**arguments).controls == (), name


@together(("name", "template"), templates(), ids=dict(templates()))
def test_every_marker_of_a_template_is_reported_in_user_text(name, template):
    for marker in (each.replace("{}", "7") for each in template.markers if each != hostile.TAKEN_OUT.get(name)):
        arguments, path = hostile.request({"field": "user.content", "content": f"before{marker}after"})
        assert marker in check_reported(template, arguments, path)


@together("case", CONTENTS, ids=lambda case: case["id"])
def test_imitations_pass_unchanged_unless_the_policy_is_to_raise(case):
    arguments, path = hostile.request(case)
    for name, template in templates():
        for policy in ("report", "allow"):
            rendered = rendered_or_refused(template, arguments, on_control=policy)
            if rendered is not None and name not in hostile.CHANGES_TEXTS and reached(rendered, path):
                # Everything before the end of a thought is left out.
                kept = (
                    case["content"].rpartition("</think>")[2].lstrip("\n")
                    if case["family"] == "qwen3"
                    else case["content"]
                )
                assert stands_in(case["content"], rendered, path) or (kept and stands_in(kept, rendered, path)), name


@cases("role-spoof")
def test_a_role_made_of_markers_is_refused(case):
    arguments, _ = hostile.request(case)
    for _, template in templates():
        for way in (template.text, template.render):
            with pytest.raises(
                MessageError, match=r"the role of messages\[1\] is '.*', which this template does not know"
            ):
                way(**arguments)


# A template's own text


def written(template):
    """Return what looks like a control marker in a template's own text, over all conversations and options; roles may
    be part of it."""
    found = set()
    for case in battery().values():
        for options in hostile.options_of(template):
            arguments = {key: case[key] for key in ("messages", "tools", "add_generation_prompt")}
            rendered = rendered_or_refused(template, {**arguments, **options})
            segments = rendered.segments if rendered else ()
            own = [
                segment.text if segment.origin is Origin.TEMPLATE or is_role(segment.path) else "\0"
                for segment in segments
            ]
            found |= hostile.imitated("".join(own))
    return found


@together("template", dict(templates()).values(), ids=dict(templates()))
def test_everything_that_looks_like_a_marker_in_a_templates_own_text_is_one(template):
    # A format that writes any role in tags also does so for roles that its model has no token for: those are plain
    # text to the model.
    no_tokens = {f"<|{role}|>" for role in STANDARD_ROLES.difference(template.roles)}
    # A maker's system text may have tags for its headings.
    headings = hostile.imitated(template.default_system)
    unknown = [
        each
        for each in written(template) - no_tokens - headings
        if each not in template.markers and not any(each in marker for marker in template.markers)
    ]
    assert unknown == []


# Threats to every model


def test_every_threat_to_all_models_is_tried_below():
    tried = (
        "wrong-type surrogate unicode control-char format-string template-syntax marker-forgery size benign-lookalike"
    )
    assert sorted(tried.split()) == sorted({case["threat"] for case in hostile.cases() if case["family"] == "any"})


@cases("unicode", "control-char", "format-string", "template-syntax", "marker-forgery", "benign-lookalike")
def test_odd_text_passes_unchanged_and_is_reported_only_where_it_is_a_marker(case):
    arguments, path = hostile.request(case)
    for name, template in templates():
        rendered = template.render(**arguments)
        assert stands_in(case["content"], rendered, path), name
        assert template.text(**arguments) == template.render(**arguments, on_control="allow").text == rendered.text
        own = any(marker in case["content"] for marker in template.markers)
        assert bool(rendered.controls) == own, name
        if own:
            check_reported(template, arguments, path)
        else:
            assert template.text(**arguments, on_control="raise") == rendered.text


@cases("surrogate")
def test_half_of_a_surrogate_pair_is_refused_by_field_and_offset(case):
    for _, template in templates():
        for way in (template.text, template.render):
            with pytest.raises(
                MessageError, match=r"^messages\[0\]\.content, at character 0: '\\ud.* is half of a surrogate pair"
            ):
                way([{"role": "user", "content": case["content"]}])


@cases("wrong-type")
def test_a_wrong_type_is_refused_by_field(case):
    for _, template in templates():
        for way in (template.text, template.render):
            with pytest.raises(MessageError, match=r"^messages\[0\]\.content.* is "):
                way(case["messages"])


def render(template, text):
    template.render([{"role": "user", "content": text}]).controls  # noqa: B018 - it is what takes the time


@cases("size")
def test_work_grows_no_faster_than_the_length_of_a_text(case):
    unit, times = case["repeated"]
    assert len(unit) * times >= 5_000_000
    for name, template in templates():
        # A small part of the size shows how work grows as well as the whole.
        short, long = unit * (times // 40_000), unit * (times // 5_000)
        # Warm up: the first call builds caches.
        render(template, long)
        assert lines_run(render, template, long) < 10 * lines_run(render, template, short), name
        assert cpu_seconds(render, template, unit * (times // 50)) < RUNAWAY, name
