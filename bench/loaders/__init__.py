"""How a service would load prompts without frozenctx: the peers of `bench.cold`, each with the same two functions.

`Prompts(directory)` opens what `bench.baking` wrote; `load(key)` gets one prompt ready to render, `messages(key,
variables)` renders it. Copied out of the checkout and imported by bare interpreters, so nothing of `bench` is used.
"""
