"""A server that speaks just enough MCP over stdio to be asked for its tools, one tool a page."""

import json
import sys

TOOLS = [
    {
        "name": "list_events",
        "title": "Events",
        "description": "List what happened in an account, newest first.",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "account_id": {"type": "string", "title": "Account Id"},
                "limit": {"type": "integer", "default": 20},
            },
            "required": ["account_id"],
            "additionalProperties": False,
        },
    },
    {
        "name": "find_account",
        "description": "Find accounts by name.",
        "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
]


def answered(method: str, params: dict[str, object]) -> dict[str, object]:
    """The result of a request; tools come one a page."""
    if method == "initialize":
        about = {"name": "stub", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    page = int(str(params.get("cursor", "0")))
    following = {"nextCursor": str(page + 1)} if page + 1 < len(TOOLS) else {}
    return {"tools": [TOOLS[page]], **following}


def main() -> None:
    ready = False
    for line in sys.stdin:
        message = json.loads(line)
        ready = ready or message["method"] == "notifications/initialized"
        if "id" not in message:
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
        elif message["method"] == "initialize" or (ready and message["method"] == "tools/list"):
            result = answered(message["method"], message["params"])
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
        else:
            error = {"code": -32601, "message": f"no method {message['method']} now"}
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)


if __name__ == "__main__":
    main()
