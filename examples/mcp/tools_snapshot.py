"""Ask MCP servers which tools they serve, and print that as the snapshot that `--tools-snapshot` compares with.

    python tools_snapshot.py crm="python crm_server.py" calendar="./calendar --readonly" > tools.json

Each argument is a server's name, as `__server__` in tools.pyi has it, and the command that starts it; it speaks MCP
over its standard input and output. Standard library only. The same answers give the same bytes.
"""

import contextlib
import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time

PROTOCOL = "2025-06-18"
SECONDS = 30  # for one server, from its start to its last answer
LONGEST = 16_000_000  # bytes of a line


class Failed(Exception):
    """A server that cannot be asked. The message is for people."""


class Server:
    """One running server, with the processes that it starts. Messages are JSON-RPC, one a line."""

    def __init__(self, name: str, command: str) -> None:
        self.name = name
        self.until = time.monotonic() + SECONDS
        pipe = subprocess.PIPE
        try:  # a group of its own: what is named is often a wrapper, as `npx` and `uv run`
            self.process = subprocess.Popen(shlex.split(command), stdin=pipe, stdout=pipe, start_new_session=True)
        except (OSError, ValueError, IndexError) as error:
            raise Failed(f"{name}: `{command}` cannot be started: {error}") from error
        self.lines: queue.Queue[bytes] = queue.Queue(maxsize=100)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.clock = threading.Timer(SECONDS, self.kill)  # ends also what blocks while it is written to
        self.clock.start()
        self.last = 0

    def read(self) -> None:
        """Put each line where `line` takes it, and nothing at the end of all."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline(LONGEST + 1):
            self.lines.put(line)
        self.lines.put(b"")

    def line(self, method: str) -> bytes:
        """The next line of the server."""
        try:
            line = self.lines.get(timeout=max(0.0, self.until - time.monotonic()))
        except queue.Empty:
            line = b""
        if not line and time.monotonic() >= self.until:
            raise Failed(f"{self.name}: the server took longer than {SECONDS} s, the last of it for {method}")
        if not line:
            raise Failed(f"{self.name}: the server ended before it answered {method}")
        if len(line) > LONGEST:
            raise Failed(f"{self.name}: the server wrote a line of more than {LONGEST:,} bytes")
        return line

    def send(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise Failed(f"{self.name}: the server ended") from error

    def ask(self, method: str, params: dict[str, object]) -> dict[str, object]:
        """The result of a request. What the server says meanwhile is passed over, what it asks is declined."""
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            line = self.line(method)
            try:
                message = json.loads(line, parse_constant=_no_json)
            except (ValueError, RecursionError) as error:
                raise Failed(f"{self.name}: expected a JSON object on a line, found {line[:60]!r}: {error}") from error
            if not isinstance(message, dict):
                raise Failed(f"{self.name}: expected a JSON object on a line, found {line[:60]!r}")
            if "method" in message:
                if "id" in message:
                    answer = {"result": {}} if message["method"] == "ping" else {"error": _NO_METHOD}
                    self.send({"id": message["id"], **answer})
            elif message.get("id") == self.last:
                if isinstance(message.get("result"), dict):
                    return dict(message["result"])
                raise Failed(f"{self.name}: {method} failed: {json.dumps(message.get('error'))}")

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def stop(self) -> None:
        """End the server by closing its input; what is left of it after a moment is killed."""
        self.clock.cancel()
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=2)
            self.reader.join(timeout=1)
        except subprocess.TimeoutExpired:
            pass
        if self.reader.is_alive() or self.process.poll() is None:
            self.kill()
            self.process.wait()


def _no_json(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


_NO_METHOD = {"code": -32601, "message": "this client only lists tools"}


def tools_of(name: str, command: str) -> list[dict[str, object]]:
    """All tools of a server, by name."""
    server = Server(name, command)
    try:
        client = {"name": "tools_snapshot", "version": "1"}
        server.ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        server.send({"method": "notifications/initialized"})
        tools: list[dict[str, object]] = []
        cursors: list[object] = [None]
        while True:
            result = server.ask("tools/list", {"cursor": cursors[-1]} if len(cursors) > 1 else {})
            page = result.get("tools")
            if not isinstance(page, list):
                raise Failed(f"{name}: tools/list gave no list of tools")
            for tool in page:
                check(name, tool)
            tools += page
            following = result.get("nextCursor")
            if following is None:
                return sorted(tools, key=lambda tool: str(tool["name"]))
            if following in cursors:
                raise Failed(f"{name}: its pages of tools never end")
            cursors.append(following)
    finally:
        server.stop()


def check(name: str, tool: object) -> None:
    """Raise Failed for a tool that is none, or that no file can hold."""
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str) or not tool["name"]:
        raise Failed(f"{name}: tools/list gave a tool without a name")
    where = f"{name}: the tool {tool['name']!r}"
    if not isinstance(tool.get("inputSchema"), dict):
        raise Failed(f"{where} has no inputSchema, which is an object")
    if not isinstance(tool.get("description", ""), str | None):
        raise Failed(f"{where} has a description that is no text")
    try:
        text(tool).encode()
    except UnicodeEncodeError as error:
        raise Failed(f"{where} holds half a character, {error.object[error.start]!r}") from error
    except RecursionError as error:
        raise Failed(f"{where} is nested too deeply") from error


def text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def main(arguments: list[str]) -> int:
    servers = {name: command for name, _, command in (argument.partition("=") for argument in sorted(arguments))}
    if not arguments or len(servers) < len(arguments) or not all(name and command for name, command in servers.items()):
        print('usage: tools_snapshot.py NAME="COMMAND" …, each name once', file=sys.stderr)
        return 2
    try:
        snapshot = {"servers": {name: {"tools": tools_of(name, command)} for name, command in servers.items()}}
    except Failed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(text(snapshot))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
