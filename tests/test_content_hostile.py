"""Text that imitates a model's markers is seen in every field and never changed; odd text that is none passes unchanged."""

import json
import time

import hostile
import pytest

from idiolect import ControlTextError, MessageError, RefusedError

IMITATIONS = [case for case in hostile.cases() if case["family"] != "any" and case["threat"] != "role-spoof"]


def cases(*threats):
    found = [case for case in hostile.cases() if case["threat"] in threats]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def templates():
    return hostile.installed().items()


def rendered_or_refused(template, arguments, **policy):
    try:
        return template.render(**arguments, **policy)
    except RefusedError:
        return None


def reached(rendered, path):
    """Return the segments that stem from a field: from itself, from what it holds, or from what holds it."""
    return [segment for segment in rendered.segments if segment.path and all(one == other for one, other in zip(segment.path, path, strict=False))]


def check_reported(template, arguments, path):
    """Assert that every policy does its duty; say whether control text of the model's was seen. What does not reach the prompt needs no report."""
    rendered = rendered_or_refused(template, arguments)
    if rendered is None:
        return True
    segments = reached(rendered, path)
    if not any(segment.text.strip() for segment in segments):
        assert not [control for control in rendered.controls if control.path[: len(path)] == path]
        # Nothing is lost in silence but ids, which are not counted.
        assert rendered.unused or path[-1] == "tool_call_id"
        return True
    if not rendered.controls:
        # Halves in two parts make no marker where the format does not bring them together.
        parts = arguments["messages"][0]["content"]
        return isinstance(parts, list) and "".join(part["text"] for part in parts) not in "".join(segment.text for segment in segments)
    for control in rendered.controls:
        assert control.marker in template.markers
        assert rendered.text[control.position :].startswith(control.marker)
        assert any(segment.path == control.path for segment in segments)
        if control.start >= 0:
            assert hostile.value_at(arguments, control.path)[control.start :].startswith(control.marker[:1])
    with pytest.raises(ControlTextError) as caught:
        template.render(**arguments, on_control="raise")
    assert caught.value.controls == rendered.controls
    allowed = template.render(**arguments, on_control="allow")
    assert (allowed.text, allowed.controls) == (rendered.text, ())
    assert template.text(**arguments) == rendered.text
    return True


def stands_in(text, rendered):
    """Say whether a text stands in a prompt as it is, or but for white space that the format trims."""
    return text in rendered.text or text.strip() in rendered.text or json.dumps(text, ensure_ascii=False)[1:-1] in rendered.text


# What imitates a family


def test_every_family_of_the_battery_is_ours_or_has_a_reason_not_to_be():
    tables = [hostile.EVERY, hostile.SOME, hostile.NOT_OURS, {"any": ""}]
    assert sorted(family for table in tables for family in table) == sorted({case["family"] for case in hostile.cases()})


@pytest.mark.parametrize("case", [case for case in IMITATIONS if case["family"] in hostile.EVERY], ids=lambda case: case["id"])
def test_a_family_sees_through_what_imitates_it(case):
    arguments, path = hostile.request(case)
    for template in hostile.spoken_by(case["family"]):
        assert check_reported(template, arguments, path) or case["id"] in hostile.HARMLESS, f"{template.name} lacks a marker"


@pytest.mark.parametrize("case", [case for case in IMITATIONS if case["family"] in hostile.SOME], ids=lambda case: case["id"])
def test_one_format_at_least_of_a_family_sees_through_what_imitates_it(case):
    arguments, path = hostile.request(case)
    found = hostile.spoken_by(case["family"])
    if found and case["id"] not in hostile.HARMLESS:
        results = {template.name: check_reported(template, arguments, path) for template in found}
        assert any(results.values())


@pytest.mark.parametrize(
    "case", [case for case in IMITATIONS if "content" in case and case["field"].endswith(".content")], ids=lambda case: case["id"]
)
def test_imitations_pass_unchanged_unless_they_are_to_be_refused(case):
    arguments, path = hostile.request(case)
    for name, template in templates():
        for policy in ("report", "allow"):
            rendered = rendered_or_refused(template, arguments, on_control=policy)
            whole = rendered and "".join(segment.text for segment in reached(rendered, path))
            assert not whole or case["id"] in hostile.HARMLESS or stands_in(case["content"], rendered), name


@cases("role-spoof")
def test_a_role_is_never_made_of_markers(case):
    arguments, _ = hostile.request(case)
    for _, template in templates():
        for way in (template.text, template.render):
            with pytest.raises(MessageError, match=r"the role of messages\[1\] is '.*', which this template does not know"):
                way(**arguments)


# What is for every model


def test_every_threat_to_all_models_is_tried_below():
    tried = "wrong-type surrogate unicode control-char format-string template-syntax marker-forgery size benign-lookalike"
    assert sorted(tried.split()) == sorted({case["threat"] for case in hostile.cases() if case["family"] == "any"})


@cases("unicode", "control-char", "format-string", "template-syntax", "marker-forgery", "benign-lookalike")
def test_odd_text_passes_unchanged_and_is_reported_only_where_it_is_a_marker(case):
    arguments, path = hostile.request(case)
    for name, template in templates():
        rendered = template.render(**arguments)
        assert stands_in(case["content"], rendered), name
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
            with pytest.raises(MessageError, match=r"^messages\[0\]\.content, at character 0: '\\ud.* is half of a surrogate pair"):
                way([{"role": "user", "content": case["content"]}])


@cases("wrong-type")
def test_a_wrong_type_is_refused_by_field(case):
    for _, template in templates():
        for way in (template.text, template.render):
            with pytest.raises(MessageError, match=r"^messages\[0\]\.content.* is "):
                way(case["messages"])


def seconds(template, text):
    begun = time.perf_counter()
    template.render([{"role": "user", "content": text}]).controls  # noqa: B018 - it is what takes the time
    return time.perf_counter() - begun


@cases("size")
def test_time_grows_with_the_length_of_a_text_and_no_faster(case):
    unit, times = case["repeated"]
    assert len(unit) * times >= 5_000_000
    # A hundredth shows a curve as well as the whole.
    text = unit * (times // 100)
    for name, template in templates():
        # The machine may be busy, so the best of several tries counts.
        ratios = []
        while not ratios or (min(ratios) >= 3 and len(ratios) < 6):
            ratios.append(min(seconds(template, text * 2) for _ in range(3)) / min(seconds(template, text) for _ in range(3)))
        assert min(ratios) < 3, name
