"""What a server counts, as Prometheus reads it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_serve.answers import Tokens
    from lect_serve.pool import Pool


class Metrics:
    """Counts since the start."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._tokens: Counter[str] = Counter()
        self._failures: Counter[int] = Counter()
        self.sessions: Counter[str] = Counter()
        """How prompts followed those before them."""

    def took(self, tokens: Tokens) -> None:
        """Count the tokens of an answer."""
        self._tokens.update(tokens._asdict())

    def failed(self, status: int) -> None:
        """Count an answer that failed."""
        self._failures[status] += 1

    def ended(self, api: str, status: int) -> None:
        """Count a request."""
        self._requests[api, status] += 1

    def text(self, pool: Pool) -> str:
        """Return all counts."""
        return "".join(f"{line}\n" for line in self._lines(pool))

    def _lines(self, pool: Pool) -> Iterator[str]:
        yield "# TYPE lect_requests_total counter"
        for (api, status), count in sorted(self._requests.items()):
            yield f'lect_requests_total{{api="{api}",status="{status}"}} {count}'
        yield "# TYPE lect_failures_total counter"
        for status, count in sorted(self._failures.items()):
            yield f'lect_failures_total{{status="{status}"}} {count}'
        yield "# TYPE lect_tokens_total counter"
        for kind, count in sorted(self._tokens.items()):
            yield f'lect_tokens_total{{kind="{kind}"}} {count}'
        yield "# TYPE lect_prompts_total counter"
        for kind, count in sorted(self.sessions.items()):
            yield f'lect_prompts_total{{kind="{kind}"}} {count}'
        for name, value in (("open", "open"), ("waiting", "waiting"), ("up", "is_up")):
            yield f"# TYPE lect_engine_{name} gauge"
            for seat in pool.seats:
                url = seat.engine.url.replace("\\", "\\\\").replace('"', '\\"')
                yield f'lect_engine_{name}{{engine="{url}"}} {int(getattr(seat, value))}'
