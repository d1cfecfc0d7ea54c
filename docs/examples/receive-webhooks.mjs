/**
 * Receives webhooks with Node.js (no packages), and prints the genuine ones.
 *
 * usage: LAND_LOOKUP_WEBHOOK_SECRET=whsec_... PORT=8081 node receive-webhooks.mjs
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.LAND_LOOKUP_WEBHOOK_SECRET;
if (!secret) {
  console.error('usage: LAND_LOOKUP_WEBHOOK_SECRET=whsec_... PORT=8081 node receive-webhooks.mjs');
  process.exit(2);
}
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
const seen = new Set(); // Keep these ids where they survive a restart.

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  // An old one may be one that somebody recorded.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // For a day after a rotation there are two.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const server = createServer(async (req, res) => {
  const pieces = [];
  for await (const piece of req) pieces.push(piece);
  const body = Buffer.concat(pieces); // The bytes as they came: parsed and written again they may differ.
  if (!isGenuine(req.headers, body)) return res.writeHead(401).end();
  // Answer first, work later: after 15 seconds the attempt counts as failed.
  res.writeHead(204).end();
  if (seen.has(req.headers['webhook-id'])) return;
  seen.add(req.headers['webhook-id']);
  const { type, data } = JSON.parse(body);
  console.log(`${type} ${data.id}`);
});
server.listen(Number(process.env.PORT ?? 8081), '127.0.0.1', () => console.log(`port ${server.address().port}`));
