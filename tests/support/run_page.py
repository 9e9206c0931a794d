"""Run the blocks of a page, given as JSON on standard input, as one program; write what each printed as JSON."""

import contextlib
import io
import json
import sys
import traceback
from types import ModuleType

page = sys.modules["__main__"] = ModuleType("__main__")
printed = []
for code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, "<page>", "exec"), page.__dict__)
        except Exception as error:
            out.write("".join(traceback.format_exception_only(error)))
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
