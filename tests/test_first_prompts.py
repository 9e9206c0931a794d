"""What our templates write for a question, and with tools, as lect-jinja knows it without loading them."""

import lect
from lect_jinja.identity.compare import prints
from lect_jinja.replies.formats import first_prompts


def test_first_prompts_are_those_that_the_templates_write():
    written = {name: prints(lect.template(name)) for name in first_prompts()}
    assert written == first_prompts(), "run python tests/support/make_metadata.py"


def test_every_family_is_known():
    families = {plugin.name for plugin in lect.plugins() if not plugin.fallback and lect.templates().get(plugin.name)}
    assert families <= {name.partition(":")[0] for name in first_prompts()}
