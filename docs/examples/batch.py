"""Looks up all places of a CSV file with Python 3 (standard library only).

usage: LAND_LOOKUP_KEY=olk_... python3 batch.py places.csv results.ndjson
"""

import hashlib
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("LAND_LOOKUP_URL", "http://127.0.0.1:8080") + "/api/batches"
KEY = os.environ.get("LAND_LOOKUP_KEY")
# Longer waits are left to you: a key that has used its rows of the day says "in twelve hours".
LONGEST_WAIT_S = 60
UNFINISHED = ("queued", "validating", "running", "finalizing")


def ask(path="", body=None, headers=(), attempts=6):
    """Opens the answer. 429, 503 and a lost connection get further attempts; any other refusal ends the program."""
    while True:
        attempts -= 1
        request = urllib.request.Request(
            URL + path, data=body, headers={"Authorization": f"Bearer {KEY}", **dict(headers)}
        )
        try:
            return urllib.request.urlopen(request, timeout=300)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            why = f"{problem['code']}: {problem.get('detail', problem['title'])}"
            wait_s = int(error.headers.get("Retry-After", 0))
            if wait_s == 0:
                raise SystemExit(why)
            if wait_s > LONGEST_WAIT_S or attempts == 0:
                raise SystemExit(f"{why} (try again in {wait_s} s)")
            print(f"{why}: trying again in {wait_s} s", file=sys.stderr)
            time.sleep(wait_s)
        except OSError as error:
            if attempts == 0:
                raise SystemExit(f"the server cannot be reached: {error}")
            time.sleep(2)


def send(places):
    try:
        with open(places, "rb") as file:
            body = file.read()
    except OSError as error:
        raise SystemExit(f"{places} cannot be read: {error.strerror}")
    # The key names this file: sent again, it gets the batch that exists, and is not paid twice.
    headers = {"Content-Type": "text/csv", "Idempotency-Key": hashlib.sha256(body).hexdigest()}
    with ask(body=body, headers=headers) as answer:
        return json.load(answer)


def wait_for(batch):
    while batch["state"] in UNFINISHED:
        print(f"{batch['state']}: {batch['rows']['done']} of {batch['rows']['total']} rows", file=sys.stderr)
        time.sleep(1)
        with ask(f"/{batch['id']}") as answer:
            batch = json.load(answer)
    return batch


def rows_of(batch):
    """Yields the result rows. A download that breaks off goes on after the last whole row."""
    row = 0
    while row < batch["rows"]["done"]:
        before = row
        try:
            with ask(f"/{batch['id']}/results?format=ndjson&after={row}") as answer:
                for line in answer:
                    # Half a line is the end of a broken download.
                    if not line.endswith(b"\n"):
                        break
                    result = json.loads(line)
                    row = result["row"]
                    yield result
        except (OSError, http.client.HTTPException):
            pass
        if row == before:
            if batch["state"] == "completed":
                raise SystemExit(f"no results come after row {row}")
            return


if len(sys.argv) != 3 or not KEY:
    raise SystemExit(__doc__.splitlines()[-1])
batch = send(sys.argv[1])
print("batch", batch["id"], file=sys.stderr)
batch = wait_for(batch)
counts = {}
with open(sys.argv[2], "w", encoding="utf-8") as results:
    for result in rows_of(batch):
        results.write(json.dumps(result, ensure_ascii=False) + "\n")
        outcome = result["code"] or "found"
        counts[outcome] = counts.get(outcome, 0) + 1
print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
if batch["state"] != "completed":
    raise SystemExit(f"the batch is {batch['state']}: {batch['error'] or 'only the rows above are answered'}")
