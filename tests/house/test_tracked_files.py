"""What is committed names no machine and no registry."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Written in pieces, or this file would name them itself.
MACHINES = ["/wo" "rk/", "/ro" "ot/", "/fa" "rm/", "/ho" "me/", "/Us" "ers/", "/tmp/" "bash_jobs"]
REGISTRIES = ["pypi" ".org", "files.python" "hosted", "registry.npm" "js", "deb.deb" "ian.org", "proxy.golang" ".org"]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout: nothing is tracked")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("words", [MACHINES, REGISTRIES], ids=["machine", "registry"])
def test_no_tracked_file_names_a_path_of_a_machine_or_a_registry(words: list[str]) -> None:
    pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}" for word in words).encode(), re.IGNORECASE)
    found = {
        f"{path.relative_to(ROOT)}: {match[0].decode()}"
        for path in tracked()
        for match in pattern.finditer(path.read_bytes())
    }
    assert not found
