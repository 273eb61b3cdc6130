"""Ask MCP servers which tools they serve, and print that as the snapshot that `--tools-snapshot` compares with.

    python tools_snapshot.py crm="python crm_server.py" calendar="./calendar --readonly" > tools.json

Each argument is a server's name, as `__server__` in tools.pyi has it, and the command that starts it; it speaks MCP
over its standard input and output. Standard library only. The same answers give the same bytes.
"""

import contextlib
import json
import shlex
import subprocess
import sys
import threading

PROTOCOL = "2025-06-18"
SECONDS = 30  # for one server, from its start to its last answer


class Failed(Exception):
    """A server that cannot be asked. The message is for people."""


class Server:
    """One running server. Messages are JSON-RPC, one a line."""

    def __init__(self, name: str, command: str) -> None:
        self.name = name
        try:
            self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except (OSError, ValueError, IndexError) as error:
            raise Failed(f"{name}: `{command}` cannot be started: {error}") from error
        self.last = 0

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
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
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
        raise Failed(f"{self.name}: the server ended, or took longer than {SECONDS} s, before it answered {method}")

    def stop(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


_NO_METHOD = {"code": -32601, "message": "this client only lists tools"}


def tools_of(name: str, command: str) -> list[dict[str, object]]:
    """All tools of a server, by name."""
    server = Server(name, command)
    clock = threading.Timer(SECONDS, server.process.kill)
    clock.start()
    try:
        client = {"name": "tools_snapshot", "version": "1"}
        server.ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        server.send({"method": "notifications/initialized"})
        tools: list[dict[str, object]] = []
        cursors: list[object] = [None]
        while True:
            result = server.ask("tools/list", {"cursor": cursors[-1]} if len(cursors) > 1 else {})
            page = result.get("tools")
            if not isinstance(page, list) or not all(isinstance(tool, dict) and "name" in tool for tool in page):
                raise Failed(f"{name}: tools/list gave no list of tools")
            tools += page
            following = result.get("nextCursor")
            if following is None:
                return sorted(tools, key=lambda tool: str(tool["name"]))
            if following in cursors:
                raise Failed(f"{name}: its pages of tools never end")
            cursors.append(following)
    finally:
        clock.cancel()
        server.stop()


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
    print(json.dumps(snapshot, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
