"""Every package comes with the licences of its contents."""

import re

from repository import FOLDERS, REPOSITORY
from together import together

PACKAGES = [
    "core",
    *(path.relative_to(REPOSITORY).as_posix() for path in FOLDERS.values()),
]
APACHE = "Licensed under the Apache License, Version 2.0. Its text is in the file LICENSE."
MIT = "Permission is hereby granted, free of charge"


def notice(package):
    return (REPOSITORY / package / "NOTICE").read_text("utf-8")


@together("package", ["", *PACKAGES])
def test_every_licence_that_is_named_is_included_with_the_projects_under_it(package):
    text, _, licences = notice(package).partition("\nLICENCES OF THESE SOURCES\n")
    text = " ".join(text.split())
    for name, beginning in {"Apache-2.0": APACHE, "MIT": MIT}.items():
        projects = set(re.findall(rf"(\S+/\S+) \({name}\)", text))
        assert (beginning in licences) == bool(projects)
        assert [project for project in projects if f"\n{project}" not in licences] == []


@together("package", PACKAGES)
def test_the_licence_of_the_repository_is_in_every_package(package):
    assert (REPOSITORY / package / "LICENSE").read_text("utf-8") == (REPOSITORY / "LICENSE").read_text("utf-8")


def test_facts_from_other_projects_come_with_their_notices():
    assert "lm-sys/FastChat" in notice("plugins/fastchat")
    assert "Copyright (c) OpenMMLab. All rights reserved." in notice("plugins/xtuner")
    assert "Copyright (c) 2020 PaddlePaddle Authors. All Rights Reserved" in notice("plugins/paddlenlp")
    for package in ("plugins/dialects", "plugins/jinja"):
        assert "Copyright (c) 2023-2026 The ggml authors" in notice(package)
    for package in ("plugins/dialects", "plugins/olmo", "plugins/ollama"):
        assert "Copyright (c) Ollama" in notice(package)


def test_a_package_names_no_sources_of_another():
    assert "MIT License" not in notice("plugins/qwen")
    assert "FastChat" not in notice("plugins/xtuner")
