from dotctx import Sample  # not installed here, and never imported

raise SystemExit(f"never run: {Sample:\d}")
