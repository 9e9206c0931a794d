"""Cases that are tried in one test fail like tests of their own: each is named, and none hides another."""

import inspect

import pytest
from together import APART, together

if APART:
    pytest.skip("every case is a test of its own", allow_module_level=True)


def test_all_cases_are_tried_and_those_that_fail_are_named():
    tried = []

    @together(("one", "other"), [(1, 1), (1, 2), (3, 3), (3, 4)], ids=str)
    def check(one, other):
        tried.append(one)
        assert one == other

    with pytest.raises(ExceptionGroup, match=r"2 of 4 cases fail: 1-2, 3-4") as caught:
        check()
    assert tried == [1, 1, 3, 3]
    assert [error.__notes__ for error in caught.value.exceptions] == [["in the case 1-2"], ["in the case 3-4"]]


def test_a_failure_of_pytest_is_one_too():
    @together("value", ["1", "x"])
    def check(value):
        with pytest.raises(ValueError):
            int(value)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases fail: '1'"):
        check()


def test_decorators_combine_and_fixtures_are_left_to_pytest():
    tried = []

    @together("one", "ab")
    @together("other", [1, 2])
    def check(fixture, one, other):
        tried.append(f"{fixture}{one}{other}")

    assert [*inspect.signature(check).parameters] == ["fixture"]
    check(fixture="-")
    assert tried == ["-a1", "-a2", "-b1", "-b2"]


@pytest.mark.parametrize("cases", [[], [1, 2]], ids=["none", "all skipped"])
def test_a_test_without_cases_that_run_is_skipped(cases):
    @together("case", cases)
    def check(case):
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception):
        check()


def test_a_case_that_is_skipped_hides_no_other():
    @together("case", [1, 2])
    def check(case):
        if case == 1:
            pytest.skip("not here")
        raise ValueError

    with pytest.raises(ExceptionGroup, match="1 of 2 cases fail: 2"):
        check()
