// Passes the messages of a client that starts programs (standard input and output) on to a service over HTTP. Node.js 18 or newer; no packages.
import { createInterface } from 'node:readline';

const { LAND_LOOKUP_URL: url = '', LAND_LOOKUP_KEY: key = '' } = process.env;

const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
};

async function pass(line) {
  const message = JSON.parse(line);
  try {
    const response = await fetch(new URL('/mcp', url), { method: 'POST', headers, body: line });
    const text = await response.text();
    // A notification has no answer.
    if (message.id === undefined) return;
    const answer = text === '' ? {} : JSON.parse(text);
    if (answer.jsonrpc === '2.0') console.log(JSON.stringify(answer));
    // A problem document: 401 without a key, 429, 503.
    else fail(message.id, `${answer.code ?? response.status}: ${answer.detail ?? response.statusText}`);
  } catch (cause) {
    if (message.id !== undefined) fail(message.id, `the service at ${url} cannot be reached: ${cause.message}`);
  }
}

function fail(id, message) {
  console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } }));
}

for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== '') void pass(line);
