from typing import TypedDict

Input = TypedDict("Input", {"self": str, "none": str, "in": str, "two words": str, "class": str, "größe": str})
