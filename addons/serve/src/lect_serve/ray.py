"""The server on a cluster: one ASGI application for each replica of Ray Serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import PluginError
from lect_serve.application import app

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from lect_serve.settings import Settings

AT_ONCE = 512
"""How many requests a replica is given at once: most of them wait for tokens."""


def deployment(settings: Settings, *, replicas: int = 2, at_once: int = AT_ONCE, **options: Any) -> Any:
    """Return the server as an application for `ray.serve.run`.

    Ray's proxy is the door, and its requests come from other machines: name those that may ask by `Settings.hosts`.

    Args:
        settings: What the server is told.
        replicas: How many copies of it there are, each with the tokenizer and its connections.
        at_once: How many requests a replica is given at once.
        options: The other options of a Ray deployment, such as `ray_actor_options`.

    Raises:
        PluginError: If Ray Serve is not installed.
    """
    try:
        from ray import serve
    except ImportError as error:
        raise PluginError('Ray Serve is not installed\n  try: pip install "ray[serve]"') from error

    def build() -> ASGIApp:
        # Ray calls it in the replica: neither a tokenizer nor an open connection can be sent there.
        return app(settings)

    replica = serve.ingress(build)(type("Lect", (), {"__doc__": "A replica."}))
    return serve.deployment(num_replicas=replicas, max_ongoing_requests=at_once, **options)(replica).bind()
