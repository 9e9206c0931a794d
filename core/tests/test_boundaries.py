"""A public function refuses wrong values by one error that names the argument; see also tests/stress/test_wrong_calls.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import pytest

import lect
from lect import MessageError, Segment
from lect.boundaries import MOST_COMPARED, boundary
from lect.errors import RefusedError


class OwnError(Exception):
    pass


@boundary
def used(
    text: str = "",
    *,
    messages: Sequence[Mapping[str, Any]] | None = None,
    number: float = 1,
    how: Literal["a", "b"] = "a",
    segments: list[Segment] = [],  # noqa: B006
    weights: dict[str, tuple[int, ...]] | None = None,
    call: Callable[[], Any] = dict,
    anything: Any = None,
):
    """Use its arguments as if all were right."""
    call()
    len(text)
    return [
        {"a": 1, "b": 2}[how] + number,
        [message["role"] for message in messages or ()],
        [segment.text for segment in segments],
        [sum(each) for each in (weights or {}).values()],
        anything and anything.name,
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"text": 5}, "text is 5 (int); expected str"),
        ({"messages": 5}, "messages is 5 (int); expected Sequence[Mapping[str, Any]] | None"),
        ({"messages": "ab"}, "messages is 'ab' (str); expected Sequence[Mapping[str, Any]] | None"),
        ({"messages": [{"role": "user"}, 5]}, "messages[1] is 5 (int); expected Mapping"),
        ({"number": "a"}, "number is 'a' (str); expected float"),
        ({"how": "c"}, "how is 'c' (str); expected Literal['a', 'b']"),
        ({"how": []}, "how is [] (list); expected Literal['a', 'b']"),
        ({"segments": [5]}, "segments[0] is 5 (int); expected Segment"),
        ({"weights": {"a": (1, "b")}}, "weights['a'][1] is 'b' (str); expected int"),
        ({"call": 5}, "call is 5 (int); expected Callable[[], Any]"),
        ({"anything": 5}, "cannot use anything=5: AttributeError: 'int' object has no attribute 'name'\n  try: help("),
    ],
)
def test_the_argument_the_value_and_what_is_expected_are_named(wrong, said):
    with pytest.raises(MessageError) as caught:
        used(**wrong)
    assert said in str(caught.value)
    assert caught.value.__cause__ is not None


def test_a_right_call_is_left_alone():
    assert used(messages=[{"role": "user"}], number=2, how="b", weights={"a": (1, 2)})[:2] == [4, ["user"]]


@pytest.mark.parametrize("call", [lambda: used(1, 2), lambda: used(other=1), lambda: lect.template()])
def test_a_wrong_signature_is_told_in_pythons_own_words(call):
    with pytest.raises(TypeError, match=r"positional argument|unexpected keyword argument"):
        call()


@pytest.mark.parametrize("error", [RefusedError("no"), OwnError(), OSError(), MemoryError(), KeyboardInterrupt()])
def test_other_errors_pass(error):
    def fail():
        raise error

    with pytest.raises(type(error)) as caught:
        used(call=fail)
    assert caught.value is error


def test_a_long_list_is_compared_only_as_far_as_needed():
    class Counted(list):
        read = 0

        def __iter__(self):
            for item in super().__iter__():
                self.read += 1
                yield item

    counted = Counted([{}] * (MOST_COMPARED * 10))
    with pytest.raises(MessageError, match="messages="):
        used(messages=counted)
    assert counted.read <= MOST_COMPARED + 1
