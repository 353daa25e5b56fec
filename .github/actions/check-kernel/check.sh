#!/usr/bin/env bash
# Checks $KERNEL against $BASELINE on the grid at $SERVER. The table goes to the log, the summary of
# the job, and the output `table`; the exit code is that of `tilemark check`.
set -uo pipefail

# The grid serves the program that fits it.
read -ra tilemark <<<"${TILEMARK:-npx -y $SERVER/worker.tgz}"

table=$("${tilemark[@]}" check "$KERNEL" --baseline "$BASELINE" \
  --server "$SERVER" \
  --shape "$SHAPES" --devices "$DEVICES" --tolerance "$TOLERANCE")
code=$?

printf '%s\n' "$table" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'table<<END_OF_TABLE\n%s\nEND_OF_TABLE\n' "$table" >>"$GITHUB_OUTPUT"
fi
exit $code
