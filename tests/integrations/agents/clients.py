"""How coding agents are started: each with a home of its own, and no key but ours."""

import json
import os
import subprocess

PATIENCE = 300
CODEX = """
model = "local"
model_provider = "lect"
model_reasoning_effort = "high"
[model_providers.lect]
name = "lect"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LECT_KEY"
"""


def environment(home):
    """Return the variables of a client: those of this process would bring in its own settings and keys."""
    places = {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
        "XDG_STATE_HOME": ".state",
    }
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "NODE_EXTRA_CA_CERTS") if name in os.environ}
    return (
        kept
        | {"HOME": str(home), "NO_PROXY": "*", "CI": "1"}
        | {name: str(home / path) for name, path in places.items()}
    )


def claude(url, home, folder, task, again):
    variables = {
        "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ANTHROPIC_MODEL": "local",
        "ANTHROPIC_SMALL_FAST_MODEL": "local", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
    }  # fmt: skip
    return [
        "claude",
        "-p",
        *(["--continue"] if again else []),
        task,
        "--allowedTools",
        "Bash Read Edit Write",
    ], variables


def codex(url, home, folder, task, again):
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(CODEX.format(url=url), "utf-8")
    how = ["--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
    return ["codex", "exec", *(["resume", "--last"] if again else []), *how, task], {"LECT_KEY": "none"}


def opencode(url, home, folder, task, again):
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "lect", "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"local": {"name": "local"}},
    }  # fmt: skip
    settings = {
        "$schema": "https://opencode.ai/config.json", "autoupdate": False, "provider": {"lect": provider},
        "permission": {"edit": "allow", "bash": "allow"},
    }  # fmt: skip
    (folder / "opencode.json").write_text(json.dumps(settings), "utf-8")
    return ["opencode", "run", *(["--continue"] if again else []), "-m", "lect/local", task], {}


def qwen(url, home, folder, task, again):
    variables = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "local"}
    return ["qwen", *(["--continue"] if again else []), "--auth-type", "openai", "-p", task, "--yolo"], variables


CLIENTS = {"claude": claude, "codex": codex, "opencode": opencode, "qwen": qwen}


def run(name, programs, url, home, folder, task, *, again=False):
    """Run a client with a task, and return what it printed."""
    (program, *arguments), variables = CLIENTS[name](url, home, folder, task, again)
    done = subprocess.run(
        [str(programs / program), *arguments],
        cwd=folder,
        env=environment(home) | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
