"""A function for AWS Lambda, or anything that imports a module from a directory or a zip file and calls it.

Its zip file holds this module, the runtime `frozenctx` and the artifacts in `prompts`; `make_zip.py` makes it.
"""

import os

import frozenctx

# At import: the platform does this once for each instance, before the first request.
prompts = frozenctx.load(f"{os.path.dirname(os.path.abspath(__file__))}/prompts")


def handler(event, context):
    prompt = prompts[event["key"]]
    return {"messages": prompt.messages(event["variables"]), "version": prompt.version}
