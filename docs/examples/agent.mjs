// Calls a tool for agents with JavaScript (Node.js 18 or newer; no packages). An agent's own program does this by itself.
// usage: LAND_LOOKUP_KEY=olk_... node agent.mjs "13 Marsh Rd, Fiddlehead Corners, ON"
import { randomUUID } from 'node:crypto';

const { LAND_LOOKUP_URL: url = 'http://127.0.0.1:8080', LAND_LOOKUP_KEY: key } = process.env;

async function callTool(name, args) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      // A call that is sent again with the same text is counted and billed once.
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result, error, title } = await response.json();
  if (!result) throw new Error(error?.message ?? title);
  // A failure is a text alone.
  const answer = result.structuredContent ?? JSON.parse(result.content[0].text);
  if (result.isError) throw new Error(`${answer.code}: ${answer.detail}. ${answer.next}`);
  return answer;
}

const [asked] = process.argv.slice(2);
if (!asked || !key) {
  console.error('usage: LAND_LOOKUP_KEY=olk_... node agent.mjs "13 Marsh Rd, Fiddlehead Corners, ON"');
  process.exit(2);
}
try {
  const { address, layers, attribution } = await callTool('lookup_address', { address: asked });
  console.log(address);
  for (const key of ['greenbelt', 'wetlandProximity', 'floodProximity', 'soil']) {
    const { state, value, asOf } = layers[key];
    console.log([`${key}: ${state}`, value && JSON.stringify(value), asOf].filter(Boolean).join(', '));
  }
  // The longest answers have the link alone.
  console.log([...(attribution.show ?? []), attribution.licences].join(' '));
} catch (error) {
  // The cause says why the server was not reached.
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}
