"""OpenAI's own client reads our stream from a real server, as the page about it shows."""

import pages
import pytest

for package in ("openai", "starlette", "uvicorn"):
    pytest.importorskip(package)

PAGE = pages.DOCS / "how-to" / "stream-to-openai-clients.md"


def test_the_examples_of_the_page_print_what_it_says(tmp_path):
    examples = pages.python_examples(PAGE, ("python", "py"))
    assert any("openai.OpenAI" in example.code for example in examples)
    for example, printed in zip(examples, pages.run_program(examples, tmp_path), strict=True):
        assert pages.fits(printed, example.printed), printed
