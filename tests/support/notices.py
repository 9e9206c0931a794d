"""What a NOTICE says: where the strings of a package come from, and the licences of those sources.

A package names its sources in `[tool.lect-metadata]`, those with a licence as `owner/name (MIT)`. Their copyright lines
are here, as in their LICENSE files or in the files that were used; a project that gives none has an empty one.
"""

import re
import textwrap

COPYRIGHTS = {
    "01-ai/Yi": "Copyright 2023 01.AI",
    "InternLM/InternLM": "",
    "InternLM/xtuner": "Copyright (c) OpenMMLab. All rights reserved.",
    "OpenGVLab/InternVL": "Copyright (c) 2023 OpenGVLab",
    "PaddlePaddle/PaddleNLP": "Copyright (c) 2020 PaddlePaddle Authors. All Rights Reserved",
    "allenai/open-instruct": "Copyright 2024 AllenAI. All rights reserved.",
    "deepseek-ai/DeepSeek-VL": "Copyright (c) 2023 DeepSeek",
    "deepseek-ai/DeepSeek-VL2": "Copyright (c) 2023 DeepSeek",
    "deepseek-ai/Janus": "Copyright (c) 2023 DeepSeek",
    "deepseek-ai/deepseek-recipe": "Copyright (c) 2026 DeepSeek",
    "ggml-org/llama.cpp": "Copyright (c) 2023-2026 The ggml authors",
    "haotian-liu/LLaVA": "",
    "huggingface/transformers": "Copyright 2018- The Hugging Face team. All rights reserved.",
    "huggingface/trl": "Copyright 2020-2026 The HuggingFace Team. All rights reserved.",
    "lm-sys/FastChat": "",
    "mistralai/mistral-common": "Copyright 2024 Mistral AI",
    "ollama/ollama": "Copyright (c) Ollama",
    "openai/harmony": "",
    "sgl-project/sglang": "Copyright 2023-2024 SGLang Team",
    "vllm-project/vllm": "",
}
LICENCES = {
    "Apache-2.0": """\
Licensed under the Apache License, Version 2.0. Its text is in the file LICENSE.
""",
    "MIT": """\
MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
""",
}
FACTS = (
    "Every string that a model itself receives (markers, default system texts, tool preambles, example turns) is a fact "
    "of that model's format and is written exactly as its maker gives it. Where no file is named, the source is "
    "`tokenizer_config.json`, `chat_template.json` or `chat_template.jinja` of the model's repository. The sources:"
)


def package_notice(dist, sources):
    """Return the NOTICE of one package."""
    paragraphs = [f"This package has {sources}."] if sources.startswith("no strings") else [FACTS, f"{sources}."]
    filled = [textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) for text in paragraphs]
    return "\n\n".join([dist, *filled]) + "\n" + licences(sources)


def licences(sources):
    """Return the licences that some sources name, each with the projects that are under it."""
    sections = []
    for licence, text in LICENCES.items():
        under = set(re.findall(rf"(\S+) \({re.escape(licence)}\)", sources))
        projects = [f"{name}: {COPYRIGHTS[name]}".removesuffix(": ") for name in sorted(under, key=str.lower)]
        if projects:
            sections.append("\n" + "\n".join(projects) + f"\n\n{text}")
    return "\nLICENCES OF THESE SOURCES\n" + "".join(sections) if sections else ""
