"""Looks an address up with Python 3 (standard library only).

usage: python3 lookup.py "13 Marsh Rd, Fiddlehead Corners, ON"
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("LAND_LOOKUP_URL", "http://127.0.0.1:8080")
KEY = os.environ["LAND_LOOKUP_KEY"]


def look_up(address, attempts=3):
    request = urllib.request.Request(
        f"{URL}/api/lookup?detail=full",
        data=json.dumps({"address": address}).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
    )
    while True:
        attempts -= 1
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            wait = error.headers.get("Retry-After")
            # 429 and 503 say when to come back; any other refusal stays one.
            if wait is None or attempts == 0:
                raise SystemExit(f"{problem['code']}: {problem.get('detail', problem['title'])}")
            time.sleep(int(wait))


answer = look_up(sys.argv[1])
print(answer["address"], f"(within {answer['geocode']['uncertaintyM']} m)")
for key, value in answer["layers"].items():
    state = answer["evidence"][key]["state"]
    print(f"{key}: {json.dumps(value, ensure_ascii=False) if state == 'present' else state}")
