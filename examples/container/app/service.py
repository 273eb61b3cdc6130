"""A service that renders prompts: a JSON request on each line of standard input, a JSON answer on each of standard output.

    {"key": "chat/title", "variables": {"turns": [{"author": "ada", "text": "Where is my export?"}]}}

The prompts are loaded once, when the process starts. The environment says which:
PROMPTS (a directory of artifacts, or one pack), PROFILE (needed when there are several), RELEASE (`sha256:…`: start with
this release or not at all).
"""

import json
import os
import sys

import frozenctx

prompts = frozenctx.load(
    os.environ["PROMPTS"],
    profile=os.environ.get("PROFILE"),
    expect=os.environ.get("RELEASE"),
    pack="require",  # an image whose pack is for another interpreter is a mistake of its build
)


def answer(request):
    try:
        prompt = prompts[request["key"]]
        messages = prompt.messages(request["variables"])
    except frozenctx.FrozenctxError as error:
        return {"error": f"{type(error).__name__}: {error}", "release": prompts.digest}
    # The version belongs into every log line and trace: it says which prompt made this text, to the byte.
    return {"model": prompt.model, "messages": messages, "version": prompt.version, "release": prompts.digest}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
