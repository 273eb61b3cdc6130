"""Write a ConfigMap that holds the pack of a profile's release for one kind of interpreter.

    python configmap.py OUT PROFILE cpython-313 > prompts.configmap.yaml

A ConfigMap holds at most 1 MiB: the pack of some 70 packages like the examples, 26 of which make a third of a megabyte.
`kubectl apply` would copy it into an annotation that holds a quarter of that; `kubectl create -f` and `kubectl apply
--server-side -f` do not. Needs the runtime on the path and nothing else.
"""

import base64
import sys

import frozenctx

MOST = (1 << 20) - 1024  # keys and other fields need some room

MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: prompts-{short}
  annotations:
    frozenctx/release: "{release}"
immutable: true
binaryData:
  prompts.pack: {data}
"""


def main(out: str, profile: str, tag: str) -> None:
    prompts = frozenctx.load(out, profile=profile, verify=True)
    release = prompts.digest.removeprefix("sha256:")
    from os import listdir

    names = [name for name in listdir(f"{out}/packs") if name.startswith(f"{release}.{tag}-")]
    if len(names) != 1:
        sys.exit(f"error: {out} has {len(names)} packs of the release of `{profile}` for {tag}")
    with open(f"{out}/packs/{names[0]}", "rb") as file:
        pack = file.read()
    if len(pack) > MOST:
        sys.exit(f"error: the pack is too large for a ConfigMap ({len(pack)} bytes); use a volume")
    data = base64.b64encode(pack).decode()
    print(MANIFEST.format(short=release[:12], release=prompts.digest, data=data), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
