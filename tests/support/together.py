"""Many cases in one test, because each test of its own takes pytest a few milliseconds, often longer than what it checks.

`LECT_APART=1` makes a test of every case again, so that one can be chosen by its name.
"""

import inspect
import os
import reprlib
from functools import wraps

import pytest

APART = os.environ.get("LECT_APART") == "1"
SHOWN = 5
"""So many failures are shown in full; of the others, only the names of the cases."""


def together(names, cases, ids=None):
    """Return a decorator like `pytest.mark.parametrize`, which tries all cases in one test, and then fails if any did.

    What the cases share must not change: a fixture such as `monkeypatch` or `tmp_path` is one for all of them.
    """
    cases = list(cases)
    if APART:
        return pytest.mark.parametrize(names, cases, ids=ids)
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)

    def decorate(check):
        @wraps(check)
        def test(*args, **fixtures):
            failed, skipped = {}, []
            for case, name in zip(cases, named(cases, ids), strict=True):
                values = case if len(names) > 1 else [case]
                try:
                    check(*args, **fixtures, **dict(zip(names, values, strict=True)))
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"in the case {name}")
                    failed[name] = error
            if failed:
                said = f"{len(failed)} of {len(cases)} cases fail: {', '.join(failed)}"
                raise BaseExceptionGroup(said, list(failed.values())[:SHOWN])
            if (skipped and len(skipped) == len(cases)) or not cases:
                raise skipped[0] if skipped else pytest.skip.Exception("there are no cases")

        signature = inspect.signature(check)
        left = [each for name, each in signature.parameters.items() if name not in names]
        test.__signature__ = signature.replace(parameters=left)
        test.cases = len(cases)
        return test

    return decorate


def named(cases, ids):
    """Return a name for every case, as `ids` of `pytest.mark.parametrize` gives them."""
    if ids is None:
        return map(reprlib.repr, cases)
    if not callable(ids):
        return map(str, ids)
    return ("-".join(str(ids(each)) for each in (case if isinstance(case, tuple) else [case])) for case in cases)
