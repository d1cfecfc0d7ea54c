#!/usr/bin/env bash
# Looks one address up with curl. LAND_LOOKUP_URL and LAND_LOOKUP_KEY say where and with which key.
# usage: lookup.sh "13 Marsh Rd, Fiddlehead Corners, ON"
set -euo pipefail

address=${1//\\/\\\\}
address=${address//\"/\\\"}

curl --silent --show-error --fail-with-body --retry 3 \
  "${LAND_LOOKUP_URL:-http://127.0.0.1:8080}/api/lookup" \
  --header "Authorization: Bearer $LAND_LOOKUP_KEY" \
  --header 'Content-Type: application/json' \
  --data "{\"address\": \"$address\"}"
