"""What our templates write for a question, and with tools, as lect-jinja knows it without loading them."""

import lect
from lect_jinja.compare import prints
from lect_jinja.knowledge import FAMILIES_OF_MARKS, FAMILIES_OF_MODEL_TYPES, first_prompts


def test_first_prompts_are_those_that_the_templates_write():
    written = {name: prints(lect.template(name)) for name in first_prompts()}
    assert written == first_prompts(), "run python tests/support/make_fingerprints.py"


def test_every_family_that_a_template_may_belong_to_is_known():
    suggested = {each for names in (FAMILIES_OF_MARKS | FAMILIES_OF_MODEL_TYPES).values() for each in names}
    assert suggested - {"lect"} <= {name.partition(":")[0] for name in first_prompts()}
