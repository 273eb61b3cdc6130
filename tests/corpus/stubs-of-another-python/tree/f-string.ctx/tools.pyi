def find(name: str) -> str:
    return f"{"x"}"
