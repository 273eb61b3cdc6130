"""The settings of a prompt as attributes."""

from .prompts import copied
from .words import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Attribute of `Prompt.settings` → key in the stored settings.
SETTINGS = {
    "model": "model",
    "max_tokens": "maxTokens",
    "max_rounds": "maxRounds",
    "temperature": "temperature",
    "reasoning_effort": "reasoningEffort",
    "output_retries": "outputRetries",
    "require_tool_call": "requireToolCall",
    "response_format": "responseFormat",
    "prompt_cache": "promptCache",
    "agent": "agent",
    "sub": "sub",
    "context": "context",
    "input_defaults": "inputDefaults",
    "tools": "tools",
    "skills": "skills",
    "system_render": "systemRender",
    "user_render": "userRender",
}


class Settings:
    """The settings of a prompt, one attribute for each, None when unset. Other names than these do not exist."""

    __slots__ = ("_stored",)

    if TYPE_CHECKING:
        model: str
        max_tokens: int | None
        max_rounds: int | None
        temperature: float | None
        reasoning_effort: str | None
        output_retries: int | None
        require_tool_call: bool | None
        response_format: str | None
        prompt_cache: str | None
        agent: bool | None
        sub: dict[str, str] | None
        context: str | None
        input_defaults: str | None
        tools: tuple[str, ...] | None
        skills: tuple[str, ...] | None
        system_render: str | None
        user_render: str | None

    def __init__(self, stored: "dict[str, Any]") -> None:
        self._stored = stored

    if not TYPE_CHECKING:  # a type checker would take every name for a setting

        def __getattr__(self, name):
            if name.startswith("_"):  # asked for by Python itself, which wants no near name
                raise AttributeError(name, name=name, obj=self)
            if name not in SETTINGS:
                raise AttributeError(f"there is no setting `{name}`{near(name, list(SETTINGS))}", name=name, obj=self)
            value = self._stored.get(SETTINGS[name])
            return tuple(value) if type(value) is list else copied(value)

    def __setattr__(self, name: str, value: object) -> None:
        if name != "_stored" or hasattr(self, "_stored"):
            raise AttributeError("settings cannot be changed; they are compiled from the package")
        object.__setattr__(self, name, value)

    def __dir__(self) -> "list[str]":
        return sorted(SETTINGS)

    def __repr__(self) -> str:
        stored = [f"{name}={self._stored[key]!r}" for name, key in SETTINGS.items() if key in self._stored]
        return f"Settings({', '.join(stored)})"
