"""A headless Chromium as its user has it: opens pages, presses keys, says what is seen; else the test is skipped."""

from __future__ import annotations

import asyncio
import base64
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp
import pytest

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"),
)
_PATIENCE_SECONDS = 30.0
_LONGEST_DELAY_MS = 150
"""For so long the report waits after its window has changed, before it draws; after a filter it waits less."""


def chromium_path() -> str:
    """Return where Chromium is, or skip the test."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("Chromium is not installed on this machine (Debian: apt install chromium)")
    return path


class Chromium:
    """One browser with one page; what goes wrong on the page is kept in `faults`, what it asks for in `requests`."""

    def __init__(self, profile: Path) -> None:
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._profile = profile
        self._process = subprocess.Popen(
            [chromium_path(), *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._loop = asyncio.new_event_loop()
        self._number = 0
        self._is_loaded = False
        self._shown: tuple[object, ...] = ()
        try:
            self._loop.run_until_complete(self._connect())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        session = getattr(self, "_session", None)
        if session is not None:
            self._loop.run_until_complete(session.close())
        self._loop.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def open(self, path: Path, *, has_scripts: bool = True) -> float:
        """Open a page and return how many seconds it took until it was all there."""
        self.send("Emulation.setScriptExecutionDisabled", value=not has_scripts)
        self._is_loaded = False
        began = time.perf_counter()
        self.send("Page.navigate", url=path.absolute().as_uri())
        self._loop.run_until_complete(self._until_loaded())
        return time.perf_counter() - began

    def look(self, *, width: int = 1280, height: int = 900, is_dark: bool = False, medium: str = "") -> None:
        """Show the page at a width, in dark colours, or as it is printed."""
        shown = (width, height, is_dark, medium)
        if shown == self._shown:
            return
        self._shown = shown
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.send("Emulation.setEmulatedMedia", media=medium, features=[scheme])
        self.settle()

    def evaluate(self, expression: str) -> Any:
        """Return what a script on the page finds."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key: str, *, code: int = 0, text: str = "") -> None:
        """Press and release one key."""
        about = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Type a text where the cursor is."""
        self.send("Input.insertText", text=text)
        self.settle()

    def settle(self) -> None:
        """Wait until the page has been drawn anew and its own delays are over, by its own clock."""
        later = f"setTimeout(() => requestAnimationFrame(done), {_LONGEST_DELAY_MS + 10})"
        self.evaluate(f"new Promise((done) => requestAnimationFrame(() => {later}))")

    def screenshot(self, path: Path, *, is_whole: bool = False, clip: dict[str, float] | None = None) -> None:
        """Write a picture of what is to be seen, of the whole page, or of a part of it."""
        options: dict[str, Any] = {"captureBeyondViewport": is_whole or clip is not None}
        if clip:
            options["clip"] = {"scale": 1, **clip}
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png", **options)["data"]))

    def print(self, path: Path) -> None:
        """Write the page as a PDF."""
        path.write_bytes(base64.b64decode(self.send("Page.printToPDF", printBackground=False)["data"]))

    def send(self, method: str, **params: Any) -> Any:
        """Send one command of the DevTools protocol and return its result."""
        return self._loop.run_until_complete(self._send(method, params))

    async def _connect(self) -> None:
        port_file = self._profile / "DevToolsActivePort"
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not (port_file.is_file() and port_file.read_text().count("\n")):
            assert time.monotonic() < deadline, "Chromium did not start"
            await asyncio.sleep(0.05)
        port = port_file.read_text().splitlines()[0]
        self._session = aiohttp.ClientSession()
        async with self._session.get(f"http://127.0.0.1:{port}/json/list") as reply:
            pages = [each for each in await reply.json() if each["type"] == "page"]
        self._socket = await self._session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=1 << 28)
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self._send(f"{domain}.enable", {})

    async def _send(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": params})
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while True:
                message = await self._socket.receive_json()
                if message.get("id") == number:
                    assert "error" not in message, message["error"]
                    return message["result"]
                self._note(message)

    async def _until_loaded(self) -> None:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not self._is_loaded:
                self._note(await self._socket.receive_json())

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self._is_loaded = True
        elif method == "Runtime.exceptionThrown":
            self.faults.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.faults.append(str(params["entry"]["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.faults.append(str(params["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(str(params["request"]["url"]))
