#!/usr/bin/env bash
# Looks up all places of a CSV file with curl. LAND_LOOKUP_URL and LAND_LOOKUP_KEY say where and with which key.
# usage: batch.sh places.csv results.csv
set -euo pipefail

places=$1
results=$2
batches=${LAND_LOOKUP_URL:-http://127.0.0.1:8080}/api/batches

# --retry repeats after 429, 503 and a lost connection, and waits as long as Retry-After says.
# A refusal is printed with its reason, and ends the script.
ask() {
  curl --silent --show-error --fail-with-body --retry 5 --retry-connrefused \
    --header "Authorization: Bearer $LAND_LOOKUP_KEY" "$@"
}
member() { # the first text or number of this name in a JSON document
  grep --only-matching "\"$1\":\"\?[^\",}]*" <<<"$2" | head --lines=1 | sed 's/.*[:"]//'
}

# The key names this file: sent again, it gets the batch that exists, and is not paid twice.
idempotency=$(sha256sum "$places" | cut --characters=1-64)
batch=$(ask "$batches" --header 'Content-Type: text/csv' --header "Idempotency-Key: $idempotency" \
  --data-binary "@$places") || { echo "$batch" >&2; exit 1; }
id=$(member id "$batch")
echo "batch $id" >&2

while state=$(member state "$batch") && [[ $state =~ ^(queued|validating|running|finalizing)$ ]]; do
  sleep 1
  batch=$(ask "$batches/$id") || { echo "$batch" >&2; exit 1; }
  echo "$state: $(member done "$batch") of $(member total "$batch") rows" >&2
done

# What is answered can be read also when the batch was cancelled or has failed.
ask "$batches/$id/results?format=csv" --output "$results" || { cat "$results" >&2; exit 1; }
if [[ $state != completed ]]; then
  echo "the batch is $state; $results holds the rows that are answered" >&2
  exit 2
fi
