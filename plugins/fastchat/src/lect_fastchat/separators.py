"""FastChat's separator styles by name and number."""

from enum import IntEnum

IMAGE_PLACEHOLDER_STR = "$$<image>$$"
"""What represents an image in a prompt."""


class SeparatorStyle(IntEnum):
    """How the turns of a prompt are separated. The numbers are those that FastChat's workers send each other."""

    ADD_COLON_SINGLE = 1
    ADD_COLON_TWO = 2
    ADD_COLON_SPACE_SINGLE = 3
    NO_COLON_SINGLE = 4
    NO_COLON_TWO = 5
    ADD_NEW_LINE_SINGLE = 6
    LLAMA2 = 7
    LLAMA3 = 8
    CHATGLM = 9
    CHATML = 10
    CHATINTERN = 11
    DOLLY = 12
    RWKV = 13
    PHOENIX = 14
    ROBIN = 15
    FALCON_CHAT = 16
    CHATGLM3 = 17
    DEEPSEEK_CHAT = 18
    METAMATH = 19
    YUAN2 = 20
    GEMMA = 21
    CLLM = 22
    DEFAULT = 23
