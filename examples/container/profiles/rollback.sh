#!/bin/sh
# Let a profile point to the release that it served before the current one. Twice: there and back.
#
#     rollback.sh OUT PROFILE
set -eu
out=$1 profile=$2
releases=$(python3 -m frozenctx releases "$out" --profile "$profile")
before=$(echo "$releases" | awk '$NF != "current" && $3 != "gone" { print $2; exit }')
if [ -z "$before" ]; then
    echo "error: profile $profile has no earlier release in $out" >&2
    exit 1
fi
python3 -m frozenctx rollback "$out" --profile "$profile" --to "$before"
