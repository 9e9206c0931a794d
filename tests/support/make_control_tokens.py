"""Copy the control tokens of real tokenizers from `../shared` into the repository, with their provenance.

    python tests/support/make_control_tokens.py

Run by hand when they change; the tests read only what is in the repository.
"""

import gzip
import json

from goldens import REPOSITORY
from shared import SHARED


def control_tokens(folder):
    """Return the added tokens of a tokenizer with their ids, special or not."""
    tokenizer = json.loads(gzip.decompress((folder / "tokenizer.json.gz").read_bytes()))
    config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    tokens = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    tokens |= {token["content"]: int(index) for index, token in config.get("added_tokens_decoder", {}).items()}
    return dict(sorted(tokens.items(), key=lambda token: token[1]))


def main():
    provenance = (
        "the makers' tokenizers as the project keeps them: `added_tokens` of tokenizer.json, special or not, and "
        "`added_tokens_decoder` of tokenizer_config.json, which alone has those of InternLM2 and some of ChatGLM3's"
    )
    tokenizers = {folder.name: control_tokens(folder) for folder in sorted((SHARED / "tokenizers").iterdir())}
    text = json.dumps({"provenance": provenance, "tokenizers": tokenizers}, ensure_ascii=False, indent=1)
    (REPOSITORY / "tests/data/control_tokens.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
