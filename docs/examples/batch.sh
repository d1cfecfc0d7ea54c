#!/usr/bin/env bash
# Looks up all places of a CSV file with curl. LAND_LOOKUP_URL and LAND_LOOKUP_KEY say where and with which key.
# usage: LAND_LOOKUP_KEY=olk_... batch.sh places.csv results.csv
set -euo pipefail

if [[ $# -ne 2 || -z ${LAND_LOOKUP_KEY:-} ]]; then
  sed -n 's/^# usage/usage/p' "$0" >&2
  exit 2
fi
places=$1
results=$2
batches=${LAND_LOOKUP_URL:-http://127.0.0.1:8080}/api/batches

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# --retry repeats after 429, 503 and a lost connection, and waits as long as Retry-After says, but not beyond a minute: a key that has used its
# rows of the day says "in twelve hours". A refusal is printed with its reason, and ends the script.
ask() {
  curl --silent --show-error --fail-with-body --retry 5 --retry-connrefused --retry-max-time 60 \
    --header "Authorization: Bearer $LAND_LOOKUP_KEY" --output "$answer" "$@" || { cat "$answer" >&2; exit 1; }
}
member() { # the first text or number of this name in the answer
  grep --only-matching "\"$1\":\"\?[^\",}]*" "$answer" | head --lines=1 | sed 's/.*[:"]//'
}

# The key names this file: sent again, it gets the batch that exists, and is not paid twice.
idempotency=$(sha256sum "$places" | cut --characters=1-64)
ask "$batches" --header 'Content-Type: text/csv' --header "Idempotency-Key: $idempotency" --data-binary "@$places"
id=$(member id)
echo "batch $id" >&2

while state=$(member state) && [[ $state =~ ^(queued|validating|running|finalizing)$ ]]; do
  echo "$state: $(member done) of $(member total) rows" >&2
  sleep 1
  ask "$batches/$id"
done

# What is answered can be read also when the batch was cancelled or has failed.
ask "$batches/$id/results?format=csv"
cat "$answer" >"$results"
if [[ $state != completed ]]; then
  echo "the batch is $state; $results holds the rows that are answered" >&2
  exit 2
fi
