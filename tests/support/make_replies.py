"""Copy the replies that the tests need from `../shared` into the repository, with their provenance.

    python tests/support/make_replies.py

Run by hand when they change; the tests read only what is in the repository.
"""

import json

from goldens import REPOSITORY
from shared import SHARED

PROVENANCE = {
    "parse": (
        "795 replies in 61 formats with what they mean, out of the tests of llama.cpp b21e4de, vLLM a014e35, SGLang "
        "cce0a12 and Ollama fb30760, and for seven formats that these do not test, out of what their sources say: "
        "`source` names the test; vLLM's and SGLang's were run, and what their parsers gave in a passing test was "
        "written down"
    ),
    "field-2026": (
        "58 outputs of models as public issues of 2025 and 2026 report them: `source` names the issue, `verbatim` whether "
        "the text is as reported. `expected` is the reading that users want, with null for what is not judged; "
        "`also_acceptable` is what they can live with, and where `contestable` is true, people differ"
    ),
    "parse-adversarial": "20 replies on which other parsers fail, with what they mean; `why` names the failure",
}


def main():
    for name, provenance in PROVENANCE.items():
        path = REPOSITORY / f"tests/data/replies/{name}.json"
        vectors = json.loads((SHARED / f"vectors/{name}.json").read_text("utf-8"))
        known = {vector["id"] for vector in vectors}
        # Some are only in the repository.
        vectors += [vector for vector in json.loads(path.read_text("utf-8"))["vectors"] if vector["id"] not in known]
        lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors)
        text = f'{{"provenance": {json.dumps(provenance)},\n"vectors": [\n{lines}\n]}}\n'
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
