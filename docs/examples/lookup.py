"""Looks an address up with Python 3 (standard library only).

usage: LAND_LOOKUP_KEY=olk_... python3 lookup.py "13 Marsh Rd, Fiddlehead Corners, ON"
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("LAND_LOOKUP_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("LAND_LOOKUP_KEY")
# Longer waits are left to you: a key that is used up for the month says "in three weeks".
LONGEST_WAIT_S = 60


def look_up(address, attempts=3):
    request = urllib.request.Request(
        f"{URL}/api/lookup?detail=full",
        data=json.dumps({"address": address}).encode(),
        headers={
            "Authorization": f"Bearer {KEY}",
            "Content-Type": "application/json",
            # The same with every attempt, so that the lookup is counted and billed once.
            "Idempotency-Key": str(uuid.uuid4()),
        },
    )
    while True:
        attempts -= 1
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            why = f"{problem['code']}: {problem.get('detail', problem['title'])}"
            # 429 and 503 say when to come back; any other refusal stays one.
            wait_s = int(error.headers.get("Retry-After", 0))
            if wait_s == 0:
                raise SystemExit(why)
            if wait_s > LONGEST_WAIT_S or attempts == 0:
                raise SystemExit(f"{why} (try again in {wait_s} s)")
            print(f"{why}: trying again in {wait_s} s", file=sys.stderr)
            time.sleep(wait_s)
        except OSError as error:
            raise SystemExit(f"the server cannot be reached: {error}")


if len(sys.argv) != 2 or not KEY:
    raise SystemExit(__doc__.splitlines()[-1])
answer = look_up(sys.argv[1])
print(answer["address"], f"(within {answer['geocode']['uncertaintyM']} m)")
for key, value in answer["layers"].items():
    state = answer["evidence"][key]["state"]
    print(f"{key}: {json.dumps(value, ensure_ascii=False) if state == 'present' else state}")
