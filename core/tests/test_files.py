"""Files from untrusted sources."""

import os

import pytest

from lect import SourceError
from lect.plugin import open_file, parse_json, read_file


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    return path


def test_no_more_is_read_than_allowed(file):
    assert read_file(file, 5) == b"12345"
    assert read_file(file, 3, only_start=True) == b"123"
    with pytest.raises(SourceError, match="it has more than 4 bytes"):
        read_file(file, 4)


def test_a_link_is_followed_unless_it_must_not_be(file, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(file)
    assert read_file(link, 5) == b"12345"
    with pytest.raises(OSError, match="symbolic link"):
        read_file(link, 5, follow=False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="not a regular file"):
        open_file(tmp_path / "pipe")


@pytest.mark.parametrize("path", ["", "missing"])
def test_a_directory_and_a_missing_file_are_errors(tmp_path, path):
    with pytest.raises((SourceError, OSError)):
        read_file(tmp_path / path, 5)


def test_json_that_parsers_read_differently_is_refused():
    assert parse_json('{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}
    with pytest.raises(SourceError, match="the key 'b' occurs twice"):
        parse_json('{"a": [1, {"b": 1, "b": 1}]}')
    for text in ("NaN", "[Infinity]", "{'a': 1}", ""):
        with pytest.raises(ValueError, match=r"not a JSON value|Expecting"):
            parse_json(text)
