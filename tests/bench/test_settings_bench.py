"""The benchmark of settings runs, over files that all hold expressions, and what it compares is equal."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_settings_are_measured_over_files_with_expressions() -> None:
    command = [sys.executable, "-m", "bench.settings", "--files=40", "--rounds=1", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["files"] == 40
    assert found["expressions"] >= 40
    assert found["ratio"] > 0
    assert len(found["seconds"]) == 3
