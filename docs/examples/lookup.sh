#!/usr/bin/env bash
# Looks one address up with curl. LAND_LOOKUP_URL and LAND_LOOKUP_KEY say where and with which key.
# usage: LAND_LOOKUP_KEY=olk_... lookup.sh "13 Marsh Rd, Fiddlehead Corners, ON"
set -euo pipefail

if [[ $# -ne 1 || -z ${LAND_LOOKUP_KEY:-} ]]; then
  sed -n 's/^# usage/usage/p' "$0" >&2
  exit 2
fi
address=${1//\\/\\\\}
address=${address//\"/\\\"}
# curl would print the answer of each attempt, but begins a file anew.
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# --retry repeats after 429, 503 and other faults that pass, and waits as long as Retry-After says, but not beyond a minute: a key that is
# used up for the month says "in three weeks". All attempts have the same Idempotency-Key, so that the lookup is counted and billed once.
status=0
curl --silent --show-error --fail-with-body --retry 3 --retry-max-time 60 --output "$answer" \
  "${LAND_LOOKUP_URL:-http://127.0.0.1:8080}/api/lookup" \
  --header "Authorization: Bearer $LAND_LOOKUP_KEY" \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: $(od -A n -t x1 -N 16 /dev/urandom | tr -d ' \n')" \
  --data "{\"address\": \"$address\"}" || status=$?
cat "$answer"
exit "$status"
