"""What every family is tested for: subclass the suite, say what the family promises, and get its tests.

```python
class TestAcme(FamilySuite):
    family = "acme"
    goldens = {"acme--Acme-7B-Chat": "acme-chat"}
    names = [("acme/Acme-7B-Chat", "acme-chat", "chat")]
    others = ["academe-7b"]
```
"""

import functools
import inspect
import types

import goldens
import pytest

import lect


def _parametrized(function, names, values, ids):
    """Return a copy of a test for one class: marks stand on the function, which all classes share."""
    copy = types.FunctionType(function.__code__, function.__globals__, function.__name__)
    functools.update_wrapper(copy, function)
    del copy.__wrapped__
    return pytest.mark.parametrize(names, values, ids=ids)(copy)


class FamilySuite:
    """The tests of one family.

    Attributes:
        family: Its name.
        goldens: By the stem of each file in its folder `tests/golden`: the template that gives those prompts.
        names: Model paths that it knows, each with its template and its kind.
        others: Model paths that it must leave to others.
    """

    family: str
    goldens: dict[str, str] = {}
    names: list[tuple[str, str, str]] = []
    others: list[str] = []

    def __init_subclass__(cls):
        folder = goldens.REPOSITORY / "plugins" / cls.family / "tests/golden"
        deviations = goldens.deviations(cls.family)
        cases = [
            (slug, *case)
            for slug in cls.goldens
            for case in goldens.cases(folder / f"{slug}.json")
            if (slug, case[0]) not in deviations
        ]
        own = sorted(lect.templates().get(cls.family, ()))
        for name, arguments, values, ids in (
            (
                "test_gives_the_makers_bytes",
                "slug, case, arguments, expected",
                cases,
                [f"{c[0]}-{c[1]}" for c in cases],
            ),
            ("test_knows_names", "path, template, kind", cls.names, None),
            ("test_claims_no_other_names", "path", cls.others, None),
            ("test_a_template_says_where_it_is_written", "name", own, None),
            ("test_a_variant_gives_the_same_bytes", "name", own, None),
            ("test_a_reply_ends_at_the_stops_of_the_template_and_nowhere_else", "name", own, None),
        ):
            setattr(cls, name, _parametrized(inspect.getattr_static(FamilySuite, name), arguments, values, ids))

    def template(self, name):
        return lect.template(f"{self.family}:{name}")

    def test_every_golden_file_is_tested(self):
        folder = goldens.REPOSITORY / "plugins" / self.family / "tests/golden"
        assert {path.stem for path in folder.glob("*--*.json")} <= set(self.goldens)

    def test_gives_the_makers_bytes(self, slug, case, arguments, expected):
        goldens.check(self.template(self.goldens[slug]), arguments, expected)

    def test_knows_names(self, path, template, kind):
        resolution = lect.resolve(path)
        found = (resolution.template.name, resolution.kind, resolution.package)
        assert found == (template, kind, f"lect-{self.family}")

    def test_claims_no_other_names(self, path):
        assert goldens.owner(path) != f"lect-{self.family}"

    def test_a_template_says_where_it_is_written(self, name):
        file, _, line = self.template(name).written_at.rpartition(":")
        assert f"lect_{self.family}" in file
        with open(file, encoding="utf-8") as source:
            assert len(source.readlines()) >= int(line)

    def test_a_variant_gives_the_same_bytes(self, name):
        template = self.template(name)
        variant = template.but(name="variant", stop=["<over>"])
        messages = [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi!"}]
        assert variant.text(messages) == template.text(messages)
        assert (variant.name, list(variant.stop), variant.markers.keys()) == (
            "variant",
            ["<over>"],
            template.markers.keys(),
        )

    def test_a_reply_ends_at_the_stops_of_the_template_and_nowhere_else(self, name):
        template = self.template(name)
        # What ends a message, too, may be followed by another message.
        ends_messages = template.reply.channels.stop if template.reply and template.reply.channels else ()
        for stop in (each for each in template.stop if each not in ends_messages):
            reply = template.parse(f"Before.{stop}After.", starts_in_reasoning=False)
            assert (reply.content.strip(), reply.stop) == ("Before.", stop)
        foreign = "Before.<no stop of anybody's>After."
        assert template.parse(foreign, starts_in_reasoning=False).content == foreign
