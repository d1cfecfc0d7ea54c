"""Looks up all places of a CSV file with Python 3 (standard library only).

usage: python3 batch.py places.csv results.ndjson
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
KEY = os.environ["LAND_LOOKUP_KEY"]
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
            wait = error.headers.get("Retry-After")
            if wait is None or attempts == 0:
                raise SystemExit(f"{problem['code']}: {problem.get('detail', problem['title'])}")
            time.sleep(int(wait))
        except OSError as error:
            if attempts == 0:
                raise SystemExit(f"the server cannot be reached: {error}")
            time.sleep(2)


def send(places):
    with open(places, "rb") as file:
        body = file.read()
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
