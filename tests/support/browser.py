"""A headless Chromium, for tests that look at the documentation as a reader does.

It is driven over a pipe, in Chromium's own protocol, so that no driver need be installed.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from counting import HANGS

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
LAUNCH = """
import os, sys
for end, place in zip(sys.argv[1:3], (100, 101)):
    os.dup2(int(end), place)
os.dup2(100, 3)
os.dup2(101, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Chromium reads commands from file descriptor 3 and writes answers to 4."""


def find():
    """Return the path of a Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab of a browser, and its workers.

    `errors` lists uncaught exceptions and the errors of the console, `requests` the addresses that were asked for.
    """

    def __init__(self, path):
        self.errors, self.requests = [], []
        self._number = 0
        self._session = None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        reads, self._commands = os.pipe()
        self._answers, writes = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars"]
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                LAUNCH,
                str(reads),
                str(writes),
                path,
                *options,
                f"--user-data-dir={self._profile.name}",
            ],
            pass_fds=(reads, writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reads)
        os.close(writes)
        self._pending = b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    def close(self):
        self._process.terminate()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()

    def call(self, method, **parameters):
        """Send a command, and return its result."""
        number = self._send(method, self._session, parameters)
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _send(self, method, session, parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        return self._number

    def open(self, url, width=1000, height=1000):
        """Open a page in a window of a given size, and wait until it is loaded and drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")
        # Before that, a part with `content-visibility: auto` shows no text.
        self.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    def evaluate(self, script):
        """Return the value of some JavaScript; a promise is awaited."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, script):
        """Wait until some JavaScript gives a true value, and return it."""
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            found = self.evaluate(script)
            if found:
                return found
            time.sleep(0.02)
        raise TimeoutError(script)

    def _receive(self):
        while b"\0" not in self._pending:
            read = os.read(self._answers, 1 << 16)
            assert read, "the browser has ended"
            self._pending += read
        text, _, self._pending = self._pending.partition(b"\0")
        message = json.loads(text)
        self._note(message.get("method"), message.get("params"))
        return message

    def _note(self, event, details):
        if event == "Target.attachedToTarget" and details["targetInfo"]["type"] != "page":
            # It waits until it is watched.
            for method in ("Network.enable", "Runtime.enable", "Runtime.runIfWaitingForDebugger"):
                self._send(method, details["sessionId"], {})
        elif event == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            self.errors.append(details["exceptionDetails"])
        elif event == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.errors.append(details["entry"])
        elif event == "Runtime.consoleAPICalled" and details["type"] == "error":
            self.errors.append(details["args"])
