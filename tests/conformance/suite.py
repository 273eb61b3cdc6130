"""jinja2's own test-suite: fetched by version and hash, never copied into this repository.

Out: the folder of the unpacked source distribution, under `build/conformance/` of the checkout, and the results of
running test ids through programs (`through_frozenctx`). As a script: run the committed list and print a table.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

VERSION = "3.1.6"
SHA256 = "0137fb05990d35f1275a587e9aee6d56da821fc83491a0fb838183be43f66d6d"

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / "build" / "conformance"

Results = dict[str, dict[str, Any]]


class SuiteUnavailable(Exception):
    """The source distribution is not here and could not be fetched."""


def fetched(project: str = "jinja2", version: str = VERSION, sha256: str = SHA256) -> Path:
    """Return the folder of a source distribution, fetched with pip on the first call."""
    folder = CACHE / f"{project}-{version}"
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        scratch = Path(name)
        wanted = scratch / "wanted.txt"
        wanted.write_text(f"{project}=={version} --hash=sha256:{sha256}\n")
        done = subprocess.run(
            [
                sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", project,
                "--require-hashes", "-r", str(wanted), "-d", str(scratch),
            ],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        archives = sorted(scratch.glob("*.tar.gz"))
        if done.returncode or len(archives) != 1:
            raise SuiteUnavailable(done.stderr.strip() or "pip downloaded no source distribution")
        if hashlib.sha256(archives[0].read_bytes()).hexdigest() != sha256:
            raise SuiteUnavailable(f"{archives[0].name} is not the archive that was asked for")
        with tarfile.open(archives[0]) as archive:
            archive.extractall(scratch, filter="data")
        (scratch / f"{project}-{version}").rename(folder)
    return folder


def listed() -> dict[str, list[str]]:
    """Return the ids that must pass, by section."""
    sections: dict[str, list[str]] = {}
    for line in (HERE / "listed.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line:
            current.append(line)
    return sections


def excluded() -> dict[str, str]:
    """Return what is left out: the beginning of ids → the reason."""
    reasons = {}
    for line in (HERE / "excluded.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            beginning, reason = line.split(" | ", 1)
            reasons[beginning] = reason
    return reasons


def run(*arguments: str, kind: str = "lean") -> tuple[Results, str]:
    """Run pytest with the plugin in the suite's folder; return the results by id, and what pytest printed."""
    folder = fetched()
    paths = [HERE, ROOT / "runtime", ROOT / "compiler", ROOT / "artifacts"]
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        done = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-p", "through_frozenctx", "-p", "no:cacheprovider", "-q", "--tb=short",
                "--frozenctx-report", str(report), "--frozenctx-kind", kind, *arguments,
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        results: Results = json.loads(report.read_text()) if report.exists() else {}
    return results, done.stdout + done.stderr


def run_listed(kind: str = "lean") -> tuple[Results, str]:
    ids = [test for tests in listed().values() for test in tests]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(ids))
        file.flush()
        return run(f"@{file.name}", kind=kind)


def main() -> int:
    results, printed = run_listed(*sys.argv[1:])
    print(printed)
    passed = Counter(test.partition("::")[0] for test, entry in results.items() if entry["outcome"] == "passed")
    for section, tests in listed().items():
        print(f"[{section}]")
        for file in dict.fromkeys(test.partition("::")[0] for test in tests):
            wanted = [test for test in tests if test.startswith(file)]
            good = [test for test in wanted if results.get(test, {}).get("outcome") == "passed"]
            print(f"  {len(good):4} of {len(wanted):4}  {file}")
    rendered = sum(entry["renders"] > 0 for entry in results.values())
    fallbacks = sum(entry["fallbacks"] for entry in results.values())
    total = sum(map(len, listed().values()))
    print(f"{sum(passed.values())} of {total} pass; {rendered} render through bytes; {fallbacks} fallbacks to jinja2")
    return 0 if sum(passed.values()) == total and fallbacks == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
