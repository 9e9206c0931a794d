"""One owner of an output, on every kind of system."""

import contextlib
import errno
import os
import subprocess
import sys
import types

import pytest

from lect.errors import LectError, OutputWarning
from lect.outputs import SUFFIX, owned, write_whole

# Owns a file until a line comes.
OWN = (
    "import sys\nfrom lect.outputs import owned\nwith owned(sys.argv[1]):\n    print('here', flush=True)\n    input()\n"
)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def owner():
    process = subprocess.Popen(
        [sys.executable, "-c", OWN, "out"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "here\n"
    yield process
    process.kill()
    process.communicate()


def without_fcntl(monkeypatch):
    """Stand in for Windows: a locked byte is an error for everybody else."""
    locked = {}

    def is_open(descriptor):
        with contextlib.suppress(OSError):
            return os.fstat(descriptor).st_ino == locked[descriptor]

    def locking(descriptor, mode, count):
        # The place does not matter, as long as it is none that others read.
        assert (mode, count, os.lseek(descriptor, 0, os.SEEK_CUR) >= 1000) == (2, 1, True)
        mine = os.fstat(descriptor).st_ino
        if any(inode == mine and each != descriptor and is_open(each) for each, inode in locked.items()):
            raise OSError(errno.EACCES, "Permission denied")
        locked[descriptor] = mine

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(LK_NBLCK=2, locking=locking))


def without_any(monkeypatch):
    for name in ("fcntl", "msvcrt"):
        monkeypatch.setitem(sys.modules, name, None)


def refusing(monkeypatch):
    """Stand in for a file system that has no locks."""

    def flock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)


SYSTEMS = {"usual": lambda _: None, "Windows": without_fcntl, "no locks": without_any, "network": refusing}


@pytest.fixture(params=SYSTEMS)
def system(request, monkeypatch):
    SYSTEMS[request.param](monkeypatch)
    return request.param


def test_an_output_has_one_owner_and_nothing_is_left(system):
    with owned("out"):
        assert os.listdir() == ["out" + SUFFIX]
        with (
            pytest.raises(LectError, match=rf"written by ['\"]process {os.getpid()} on .*, since \d+-.*\n  try: "),
            owned("out"),
        ):
            pytest.fail("there are two")
        write_whole("out", "whole")
        assert {*os.listdir()} == {"out", "out" + SUFFIX}
    assert os.listdir() == ["out"]
    with owned("out"):
        pass


def test_what_a_dead_process_left_is_taken_over_where_locks_tell(system, monkeypatch):
    with open("out" + SUFFIX, "w") as file:
        file.write("process 1 on sea, since yesterday: lect\x1b[2J")
    if system in ("no locks", "network"):
        with pytest.raises(LectError, match="have no locks here, so that may have ended\n  try: remove "), owned("out"):
            pytest.fail("nobody can tell")
        os.unlink("out" + SUFFIX)
    else:
        with (
            pytest.warns(OutputWarning, match=r"taken over from 'process 1 on sea, .*\\x1b\[2J', which has"),
            owned("out"),
        ):
            pass
    with owned("out"):
        pass
    assert os.listdir() == []


def test_another_process_is_named(owner):
    with pytest.raises(LectError, match=f"written by ['\"]process {owner.pid} on "), owned("out"):
        pytest.fail("there are two")
    owner.communicate("\n")
    with owned("out"):
        pass


def test_a_killed_process_owns_nothing(owner):
    owner.kill()
    owner.wait()
    with pytest.warns(OutputWarning, match=f"taken over from 'process {owner.pid} on "), owned("out"):
        pass
    assert os.listdir() == []


@pytest.mark.parametrize("said", ["mine", "\x1b[2J", "\n"])
def test_a_file_that_is_not_lects_stays(said, system):
    with open("out" + SUFFIX, "w") as file:
        file.write(said)
    with pytest.raises(LectError, match="is there, and not lect's\n  try: another output"), owned("out"):
        pytest.fail("it is somebody's")
    with open("out" + SUFFIX) as file:
        assert file.read() == said


def test_a_link_and_what_it_points_to_are_one_output():
    os.mkdir("there")
    os.symlink("there/out", "link")
    with owned("link"), pytest.raises(LectError, match="is being written"), owned("there/out"):
        pytest.fail("there are two")
    with owned("link"):
        write_whole("link", "text")
    assert os.path.islink("link")
    with open("there/out") as file:
        assert file.read() == "text"


def test_the_owner_is_never_written_through_a_link():
    with open("precious", "w") as file:
        file.write("process ")
    os.symlink("precious", "out" + SUFFIX)
    with pytest.raises(LectError, match="cannot write 'out': "), owned("out"):
        pytest.fail("it would be overwritten")
    with open("precious") as file:
        assert file.read() == "process "


def test_a_file_that_is_removed_between_opening_and_locking_is_made_again(monkeypatch):
    import fcntl

    lock, turns = fcntl.flock, iter([True])

    def removed(descriptor, operation):
        if next(turns, False):
            os.unlink("out" + SUFFIX)
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", removed)
    with owned("out"), pytest.raises(LectError, match="is being written"), owned("out"):
        pytest.fail("there are two")


def test_what_is_no_file_has_no_owner():
    with owned(os.devnull), owned(os.devnull):
        write_whole(os.devnull, "gone")


def test_rights_stay():
    with open("out", "w"):
        os.chmod("out", 0o600)
    with owned("out"):
        write_whole("out", "text")
    assert os.stat("out").st_mode & 0o777 == 0o600


def test_a_folder_that_is_not_there_is_said():
    with pytest.raises(LectError, match="cannot write 'no/out': No such file or directory\n  try: "), owned("no/out"):
        pytest.fail("there is no folder")
