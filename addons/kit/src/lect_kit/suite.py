"""The suite: all checks of the kit, for one plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect_kit.base import check
from lect_kit.claims import ClaimChecks
from lect_kit.goldens import GoldenChecks
from lect_kit.names import NameChecks
from lect_kit.packages import PackageChecks
from lect_kit.prompts import PromptChecks
from lect_kit.replies import ReplyChecks

if TYPE_CHECKING:
    from collections.abc import Iterator


# pytest runs the tests of the last class first.
class AdapterSuite(GoldenChecks, ReplyChecks, ClaimChecks, PromptChecks, NameChecks, PackageChecks):
    """The tests that every adapter must pass. Subclass it in a test file, and name the plugin and a few models.

    Checks of what a plugin does not have are skipped, with the reason: one that only reads replies has no prompts.

    Attributes:
        plugin: The name in the entry-point group `lect`; for a package without an adapter, that of its notation or of
            the distribution.
        examples: Models that the plugin knows, each with the name of its template.
        base: Those that were not trained to chat; they may be in `examples` too.
        others: Models that look like the plugin's, and that it must leave alone.
        overrides: Models of lect's own families that it claims on purpose.
        goldens: Golden files, each with the name of its template; or a folder of files that name it themselves. Paths
            are relative to the test file.
        deviations: A JSON file with a list of `slug` (the stem of a golden file), `case` and `reason`: where the
            plugin differs on purpose.
        oracles: Names of templates, each with the file of its maker's own Jinja template.
    """

    @check("delete the override, or mark it `@pytest.mark.xfail(reason=...)` and call the standard test")
    def test_no_standard_test_is_overridden(self) -> Iterator[str]:
        """A test of the suite may be replaced only by one that is expected to fail, and says why."""
        standard = {name for name in dir(AdapterSuite) if name.startswith("test_")}
        for name in sorted(standard):
            own = getattr(type(self), name)
            if own is getattr(AdapterSuite, name):
                continue
            marks = [mark for mark in getattr(own, "pytestmark", ()) if mark.name == "xfail"]
            if not any(mark.kwargs.get("reason") for mark in marks):
                yield f"{name} is overridden, and not as an xfail with a reason"
