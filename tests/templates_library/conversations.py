"""Conversations for chat templates: what services and training sets pass to them.

Plain JSON values, so that they can be sent to another interpreter. Some are refused by some templates.
"""

from __future__ import annotations

from typing import Any

BASE = {"bos_token": "<s>", "eos_token": "</s>"}

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather at a place, now.\nTemperatures are in °C & never <null>.",
        "parameters": {
            "type": "object",
            "properties": {
                "place": {"type": "string", "description": " City, e.g. \"Zürich\" "},
                "days": {"type": "array", "items": {"type": "integer"}},
                "unit": {"type": ["string", "null"], "enum": ["C", "F"]},
                "extra": {"type": "object", "additionalProperties": {"type": "number"}},
            },
            "required": ["place"],
        },
        "return": {"type": "string"},
    },
}
CLOCK = {
    "type": "function",
    "function": {"name": "now", "description": "The time.", "parameters": {"type": "object", "properties": {}}},
}

SYSTEM = {"role": "system", "content": "  You are brief & <kind>.\n"}
ASKED = {"role": "user", "content": " Is it raining in Zürich? 🌧 "}
ANSWERED = {"role": "assistant", "content": "Yes, it's raining.\n\n\nTake a coat."}
ASKED_AGAIN = {"role": "user", "content": "And \"tomorrow\"?"}
THOUGHT = {"role": "assistant", "content": "<think>\nClouds…\n</think>\n\nNo."}
REASONED = {"role": "assistant", "content": "No.", "reasoning_content": "Clouds go."}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "type": "function", "id": "abc123DEF",
            "function": {"name": "get_weather", "arguments": {"place": "Zürich", "days": [1, 2], "extra": {}}},
        },
    ],
}  # fmt: skip
CALLED_TWICE = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        CALLED["tool_calls"][0],  # type: ignore[index]
        {"type": "function", "id": "x", "function": {"name": "now", "arguments": "{\"utc\": true}"}},
    ],
}
RESULT = {"role": "tool", "content": "{\"rain\": 0.5}", "tool_call_id": "abc123DEF", "name": "get_weather"}
RESULT_PARTS = {"role": "tool", "content": {"rain": [0.5, None, 1e-7], "sky": "grey <&>"}}
PARTS = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": " What is this? "}]}
DOCUMENTS = [
    {"title": "Rain", "text": "It rains."},
    {"title": "Snow <b>", "snippet": "It's cold & white", "Rank": 3},
]


def conversation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**BASE, "messages": list(messages), **more}


CONVERSATIONS: dict[str, dict[str, Any]] = {
    "question": conversation(ASKED, add_generation_prompt=True),
    "system-and-question": conversation(SYSTEM, ASKED, add_generation_prompt=True),
    "answered": conversation(SYSTEM, ASKED, ANSWERED, add_generation_prompt=False),
    "three-turns": conversation(ASKED, ANSWERED, ASKED_AGAIN, add_generation_prompt=True, enable_thinking=False),
    "thought": conversation(SYSTEM, ASKED, THOUGHT, ASKED_AGAIN, THOUGHT),
    "reasoned": conversation(ASKED, REASONED, add_generation_prompt=False, reasoning_effort="high"),
    "tools": conversation(ASKED, tools=[WEATHER, CLOCK], add_generation_prompt=True),
    "tools-in-system": conversation(SYSTEM, ASKED, tools=[WEATHER], tools_with_question=False, date_string="today"),
    "tools-without-question": conversation(SYSTEM, tools=[WEATHER]),
    "called": conversation(SYSTEM, ASKED, CALLED, RESULT, ANSWERED, tools=[WEATHER]),
    "called-with-parts": conversation(ASKED, CALLED, RESULT_PARTS, tools=[WEATHER], add_generation_prompt=True),
    "called-twice": conversation(ASKED, CALLED_TWICE, RESULT, RESULT, ASKED_AGAIN, add_generation_prompt=True),
    "documents": conversation(SYSTEM, ASKED, documents=DOCUMENTS, add_generation_prompt=True),
    "documents-and-tools": conversation(
        ASKED, ANSWERED, ASKED_AGAIN, documents=DOCUMENTS, tools=[WEATHER, CLOCK],
        controls={"citations": "<x>", "length": "long"}, add_generation_prompt=True,
    ),
    "parts": conversation(PARTS, ANSWERED, add_generation_prompt=True),
    "system-as-parts": conversation({"role": "system", "content": [{"type": "text", "text": "Hm."}]}, PARTS),
    "two-questions": conversation(ASKED, ASKED_AGAIN),
    "answer-first": conversation(ANSWERED, ASKED),
    "two-systems": conversation(SYSTEM, ASKED, SYSTEM, ANSWERED),
    "unknown-role": conversation(ASKED, {"role": "critic", "content": "Bad."}),
    "content-of-a-number": conversation({"role": "user", "content": 7}),
    "no-content": conversation({"role": "user"}),
    "content-that-looks-like-a-template": conversation({"role": "user", "content": "{{ bos_token }}{% endfor %}"}),
    "nothing": conversation(),
    "no-messages": dict(BASE),
}  # fmt: skip
