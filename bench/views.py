"""Views: a long prompt as a page."""

from html import escape

from timing import Line, seconds

LENGTH = 200_000
"""In characters."""
TURN = "Ein Satz, and another one: <b>1 & 2</b>\n\tif x == 'y': return \"z\"\n谢谢 شكرا "
MODEL = "Qwen/Qwen2.5-7B-Instruct"


def lines():
    """Yield the lines of the table."""
    try:
        import lect
        import lect_qwen  # noqa: F401
        from lect_view import html
    except ImportError:
        yield Line("a long prompt as a page", None, 1, note="lect-view or lect-qwen is not installed")
        return
    text = TURN * (LENGTH // 20 // len(TURN) + 1)
    chat = [{"role": ("user", "assistant")[at % 2], "content": text} for at in range(20)]
    prompt = lect.render(MODEL, chat)
    ours, theirs = seconds(lambda: html(prompt), lambda: escape(prompt.text))
    note = f"{1000 * ours:.0f} ms, beside {1000 * theirs:.1f} ms"
    yield Line(
        "a prompt of 200,000 characters as a page, beside html.escape", ours / theirs, 40, least=False, note=note
    )
