"""Engines that say what a script says, each after its published interface: for tests, measurements and examples.

Where the fields come from: vLLM a014e35, SGLang cce0a12, llama.cpp b21e4de, Ollama fb30760, all of August 2026. Each
module names the file of each.
"""

from fake_engines.completions import FakeCompletions
from fake_engines.llama_cpp import FakeLlamaCpp
from fake_engines.ollama import FakeOllama
from fake_engines.script import Reply, said, tiny, tiny_of
from fake_engines.serving import serving
from fake_engines.sglang import FakeSglang
from fake_engines.vllm import FakeVllm

FAKES = {
    "vllm": FakeVllm, "sglang": FakeSglang, "llama.cpp": FakeLlamaCpp, "ollama": FakeOllama,
    "completions": FakeCompletions,
}  # fmt: skip

__all__ = [
    "FAKES", "FakeCompletions", "FakeLlamaCpp", "FakeOllama", "FakeSglang", "FakeVllm", "Reply", "said", "serving",
    "tiny", "tiny_of",
]  # fmt: skip
