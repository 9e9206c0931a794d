"""Run the random conversations of tests/support/image_scripts.py through FastChat, and keep a hash of the results.

    python plugins/fastchat/tests/make_image_results.py path/of/FastChat

Run by hand; needs Pillow and pydantic. Classes of packages that FastChat returns are replaced by plain data, and what it
would download by its address.
"""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[2] / "tests/support"), sys.argv[1]]


def stub(name, **attributes):
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(attributes)


def load_image(text):
    """As FastChat's function of that name does with Base64."""
    import base64
    import io

    from PIL import Image

    return Image.open(io.BytesIO(base64.b64decode(text)))


def main():
    stub("requests", get=lambda url: SimpleNamespace(content={"file_uri": url}))
    stub("fastchat.utils", load_image=load_image)
    for name in ("vertexai", "vertexai.preview"):
        stub(name)
    from_bytes = staticmethod(lambda given: given if isinstance(given, dict) else {"data": given})
    stub("vertexai.preview.generative_models", Image=type("Image", (), {"from_bytes": from_bytes}))
    stub("reka", ChatMessage=dict, TypedMediaContent=dict, TypedText=dict)
    import fastchat.conversation
    from fastchat.serve.vision.image import Image, ImageFormat
    from image_scripts import SCRIPTS, conversation_of, results, shortened

    hashes = []
    for number in range(SCRIPTS):
        conversation, methods = conversation_of(number, fastchat.conversation, Image, ImageFormat)
        hashes.append(shortened(results(conversation, methods, Exception)))
    note = "lm-sys/FastChat at 0e6d3e4 (12 April 2025), run with its own code by make_image_results.py"
    text = json.dumps({"provenance": note, "results": hashes}, indent=1)
    (HERE / "golden/images.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
