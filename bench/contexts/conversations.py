"""Contexts of the categories transcripts, tools, chat-templates."""

import json
from typing import Any

Context = dict[str, Any]

SENTENCES = (
    "The export stops at 99 % and then starts again from the beginning.",
    "I have looked at your workspace: the last export that finished was on Monday at 14:05.",
    "Could you tell me which inbox you chose, and whether attachments were included?",
    "All inboxes, with attachments. It worked last month with the same settings.",
    "Thank you. One conversation holds a file of 2.1 GB, which is above the limit of 2 GB.",
    "Then why does it not simply say so?",
    "You are right, it should. I have reported that, and the number of the report is Q-48377.",
    "Wir haben außerdem zwei Rechnungen für März bekommen.",
    "I see both invoices; one of them is for the seats that you added on 12 March.",
    "请问我可以把旧的对话导出成 PDF 吗？",
)
ROLES = ("user", "assistant", "user", "assistant", "tool", "assistant")


def messages(count: int) -> list[dict[str, Any]]:
    """A conversation of `count` messages; every sixth comes from a tool, and the one before it asked for it."""
    made: list[dict[str, Any]] = []
    for index in range(count):
        words = [SENTENCES[(index + step) % len(SENTENCES)] for step in range(1 + index % 3)]
        message: dict[str, Any] = {
            "role": ROLES[index % len(ROLES)],
            "content": " ".join(words),
            "day": f"2026-02-{1 + index // 60 % 28:02d}",
            "at": f"2026-02-{1 + index // 60 % 28:02d}T{8 + index // 12 % 10:02d}:{index * 5 % 60:02d}:00Z",
        }
        if index % 6 == 3:
            message["tool_calls"] = [{"name": "get_account", "arguments": {"id": 1000 + index}}]
        made.append(message)
    return made


def transcript(count: int) -> Context:
    return {
        "conversation_id": "Q-48213",
        "title": "Export of conversations",
        "messages": messages(count),
        "max_words": 200,
        "names": {"user": "Miriam", "assistant": "Mira"},
    }


def transcript_10() -> Context:
    return transcript(10)


def transcript_100() -> Context:
    return transcript(100)


def transcript_1000() -> Context:
    return transcript(1000)


VERBS = ("find", "list", "create", "update", "archive", "assign")
NOUNS = ("conversation", "article", "member", "invoice")


def tools(count: int) -> list[dict[str, Any]]:
    """Tools in the shape that chat interfaces expect, each with two to five parameters."""
    made = []
    for index in range(count):
        verb, noun = VERBS[index % len(VERBS)], NOUNS[index % len(NOUNS)]
        properties: dict[str, Any] = {
            "workspace": {"type": "string", "description": f"The workspace that holds the {noun}."},
            "limit": {"type": "integer", "description": "How many results at most.", "minimum": 1, "default": 20},
            "state": {
                "type": "string",
                "enum": ["open", "waiting", "closed"],
                "description": f"Only {noun}s in this state; “open” & “waiting” count as active.",
            },
            "query": {"type": "string", "description": "Words that must occur, <b>not</b> a question."},
            "labels": {"type": "array", "items": {"type": "string"}, "description": "All of these labels."},
        }
        names = list(properties)[: 2 + index % 4]
        made.append(
            {
                "type": "function",
                "function": {
                    "name": f"{verb}_{noun}",
                    "description": f"{verb.capitalize()} a {noun}. Does nothing when it does not exist.",
                    "parameters": {
                        "type": "object",
                        "properties": {name: properties[name] for name in names},
                        "required": names[:1],
                    },
                },
            }
        )
    return made


def function_list() -> Context:
    return {"tools": tools(20), "today": "2026-02-03", "max_calls": 5}


def function_pair() -> Context:
    return {"tools": tools(2), "today": "2026-02-03", "max_calls": 2}


def documented() -> Context:
    return {"tools": tools(12)}


def results() -> Context:
    calls = [
        {
            "id": f"call_{index}",
            "name": "list_invoice",
            "arguments": {"workspace": "acme", "limit": 3, "after": index * 3},
            "result": {
                "total": 9,
                "items": [
                    {"number": f"R-{2026000 + index * 3 + row}", "net": 31250 + row, "paid": row != 1, "note": None}
                    for row in range(3)
                ],
            },
        }
        for index in range(4)
    ]
    return {"calls": calls, "task": "Find the invoice that was paid twice."}


def _chat(count: int, system: bool = True) -> list[dict[str, Any]]:
    """Alternating user and assistant, the user last, after an optional system message."""
    said = [" ".join(SENTENCES[index % 7 : index % 7 + 1 + index % 3]) for index in range(count)]
    made = [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(said)]
    if system:
        made.insert(0, {"role": "system", "content": "You are a careful assistant of a support team. Answer briefly."})
    return made


def chatml() -> Context:
    return {"messages": _chat(11), "add_generation_prompt": True}


def chatml_long() -> Context:
    return {"messages": _chat(61, system=False), "add_generation_prompt": True}


def chatml_tools() -> Context:
    chat: list[dict[str, Any]] = _chat(3)
    for round_ in range(3):
        chat.append(
            {
                "role": "assistant",
                "content": "" if round_ else "I look at the account first.",
                "reasoning": "The customer speaks of two invoices; the account says how many there are.\n",
                "tool_calls": [
                    {"type": "function", "function": {"name": "get_account", "arguments": {"id": 1000 + round_}}},
                    {"type": "function", "function": {"name": "list_invoice", "arguments": json.dumps({"limit": 3})}},
                ],
            }
        )
        chat.append({"role": "tool", "content": json.dumps({"id": 1000 + round_, "plan": "Team", "seats": 84})})
        chat.append({"role": "tool", "content": json.dumps({"total": 2, "numbers": ["R-1", "R-2"]})})
    chat.append({"role": "assistant", "content": "There are two invoices, one of them for the added seats."})
    chat.append({"role": "user", "content": "Then please explain the second one."})
    return {"messages": chat, "tools": tools(6), "add_generation_prompt": True, "enable_thinking": False}


def header() -> Context:
    chat: list[dict[str, Any]] = _chat(3)
    call = {"name": "get_account", "arguments": {"id": 1000, "fields": ["plan", "seats"]}}
    chat.append({"role": "assistant", "tool_calls": [{"function": call}]})
    chat.append({"role": "tool", "content": {"plan": "Team", "seats": 84}})
    chat.extend(_chat(2, system=False)[1:])
    return {
        "bos_token": "<|begin_of_text|>",
        "knowledge_until": "December 2025",
        "today": "03 Feb 2026",
        "messages": chat,
        "tools": tools(3),
        "add_generation_prompt": True,
    }


def header_plain() -> Context:
    return {
        "bos_token": "<|begin_of_text|>",
        "knowledge_until": "December 2025",
        "today": "03 Feb 2026",
        "messages": _chat(21),
        "add_generation_prompt": True,
    }


def inst() -> Context:
    return {"messages": _chat(13), "bos_token": "<s>", "eos_token": "</s>"}


def turns() -> Context:
    chat: list[dict[str, Any]] = _chat(9)
    chat[3]["content"] = [{"type": "image"}, {"type": "text", "text": " What is wrong in this screenshot? "}]
    return {"messages": chat, "bos_token": "<bos>", "add_generation_prompt": True}


def role_tags() -> Context:
    chat: list[dict[str, Any]] = _chat(9)
    chat[0]["tools"] = json.dumps(tools(2))
    return {"messages": chat, "add_generation_prompt": True, "eos_token": "<|endoftext|>"}


def sentences() -> Context:
    chat: list[dict[str, Any]] = _chat(3)
    chat.append(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"type": "function", "function": {"name": "get_account", "arguments": {"id": 1000}}},
                {"type": "function", "function": {"name": "list_invoice", "arguments": {"limit": 3}}},
            ],
        }
    )
    chat.append({"role": "tool", "content": '{"plan": "Team"}'})
    chat.append({"role": "tool", "content": '{"total": 2}'})
    chat.append({"role": "assistant", "content": "<think>Two invoices.</think>There are two invoices."})
    chat.append({"role": "user", "content": "Please explain the second one."})
    return {"messages": chat, "bos_token": "<｜begin｜>", "add_generation_prompt": True}


def grounded() -> Context:
    documents = [
        {"title": f"Article {index}", "updated": "2026-01-19", "text": " ".join(SENTENCES[index : index + 3])}
        for index in range(6)
    ]
    chat = [{**message, "role": {"assistant": "chatbot"}.get(message["role"], message["role"])} for message in _chat(5)]
    return {
        "bos_token": "<BOS_TOKEN>",
        "messages": chat,
        "documents": documents,
        "citations": "accurate",
    }
