"""The model-loading functions of `fastchat.model`: their arguments are understood, but nothing is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from lect.errors import PluginError

if TYPE_CHECKING:
    from argparse import ArgumentParser

# Flag, default, choices and meaning; a default of False makes a switch.
_ARGUMENTS: tuple[tuple[str, str | int | None, tuple[Any, ...] | None, str], ...] = (
    ("--model-path", "lmsys/vicuna-7b-v1.5", None, "the model: a directory, or owner/name"),
    ("--revision", "main", None, "the revision of the model"),
    ("--device", "cuda", ("cpu", "cuda", "mps", "xpu", "npu"), "where it runs"),
    ("--gpus", None, None, "the numbers of the GPUs to use, such as 0,2"),
    ("--num-gpus", 1, None, "how many GPUs to use"),
    ("--max-gpu-memory", None, None, "how much memory of each GPU the weights may take, such as 13Gib"),
    ("--dtype", None, ("float32", "float16", "bfloat16"), "the type of the weights"),
    ("--load-8bit", False, None, "quantize to 8 bits"),
    ("--cpu-offloading", False, None, "with 8 bits: leave weights that do not fit to the CPU"),
    ("--gptq-ckpt", None, None, "GPTQ: the checkpoint"),
    ("--gptq-wbits", 16, (2, 3, 4, 8, 16), "GPTQ: bits of a weight"),
    ("--gptq-groupsize", -1, None, "GPTQ: size of a group; -1 is a whole row"),
    ("--gptq-act-order", False, None, "GPTQ: order by activation"),
    ("--awq-ckpt", None, None, "AWQ: the checkpoint"),
    ("--awq-wbits", 16, (4, 16), "AWQ: bits of a weight"),
    ("--awq-groupsize", -1, None, "AWQ: size of a group; -1 is a whole row"),
    ("--enable-exllama", False, None, "run in ExLlamaV2"),
    ("--exllama-max-seq-len", 4096, None, "ExLlamaV2: the longest sequence"),
    ("--exllama-gpu-split", None, None, "ExLlamaV2: gigabytes for each GPU, such as 20,7,7"),
    ("--exllama-cache-8bit", False, None, "ExLlamaV2: a cache of 8 bits"),
    ("--enable-xft", False, None, "run in xFasterTransformer"),
    ("--xft-max-seq-len", 4096, None, "xFasterTransformer: the longest sequence"),
    ("--xft-dtype", None, ("fp16", "bf16", "int8", "bf16_fp16", "bf16_int8"), "xFasterTransformer: the type"),
)


def add_model_args(parser: ArgumentParser) -> None:
    """Add FastChat's arguments about a model to a parser, so that command lines written for it are understood."""
    for flag, default, choices, meaning in _ARGUMENTS:
        if default is False:
            parser.add_argument(flag, action="store_true", help=meaning)
        else:
            kind = int if isinstance(default, int) else str
            parser.add_argument(flag, type=kind, default=default, choices=choices, help=meaning)


def load_model(model_path: str, *arguments: Any, **options: Any) -> NoReturn:
    """Refuse: nothing here loads a model.

    Raises:
        PluginError: Always.
    """
    raise PluginError(
        f"lect-fastchat does not load models, and so cannot load {model_path!r}: it has only FastChat's prompts\n"
        f"  try: transformers.AutoModelForCausalLM.from_pretrained({model_path!r})"
    )
