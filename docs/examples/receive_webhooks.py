"""Receives webhooks with Python 3 (standard library only), and prints the genuine ones.

usage: LAND_LOOKUP_WEBHOOK_SECRET=whsec_... PORT=8081 python3 receive_webhooks.py
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("LAND_LOOKUP_WEBHOOK_SECRET")
if not SECRET:
    raise SystemExit(__doc__.splitlines()[-1])
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))
SEEN = set()  # Keep these ids where they survive a restart.


def is_genuine(headers, body):
    event, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # An old one may be one that somebody recorded.
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{event}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
    # For a day after a rotation there are two.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The bytes as they came: parsed and written again they may differ.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, body)
        # Answer first, work later: after 15 seconds the attempt counts as failed.
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if not genuine or self.headers["webhook-id"] in SEEN:
            return
        SEEN.add(self.headers["webhook-id"])
        event = json.loads(body)
        print(event["type"], event["data"]["id"], flush=True)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8081"))), Receiver)
print("port", server.server_port, flush=True)
server.serve_forever()
