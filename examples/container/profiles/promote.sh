#!/bin/sh
# Blue/green: let one profile point to the release that another one serves.
#
#     promote.sh OUT FROM TO      e.g. promote.sh /prompts green live
#
# The release is checked whole before the switch, which is one rename. Who has the old one open keeps it. Both profiles
# have to be there: the first release of a profile is one that was built into it.
set -eu
out=$1 from=$2 to=$3
releases=$(python3 -m frozenctx releases "$out" --profile "$from")
release=$(echo "$releases" | awk '$NF == "current" { print $2 }')
python3 -m frozenctx verify "$out" --profile "$from"
python3 -m frozenctx rollback "$out" --profile "$to" --to "$release"
