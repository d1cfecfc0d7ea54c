// Looks an address up with JavaScript (Node.js 18 or newer; no packages), from a server or a machine of yours: in a page, everybody could read the key.
// usage: LAND_LOOKUP_KEY=olk_... node lookup.mjs "13 Marsh Rd, Fiddlehead Corners, ON"
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const { LAND_LOOKUP_URL: url = 'http://127.0.0.1:8080', LAND_LOOKUP_KEY: key } = process.env;
// Longer waits are left to you: a key that is used up for the month says "in three weeks".
const LONGEST_WAIT_S = 60;

async function lookUp(address) {
  // The same with every attempt, so that the lookup is counted and billed once.
  const idempotencyKey = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${url}/api/lookup`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      body: JSON.stringify({ address }),
    });
    const body = await response.json();
    if (response.ok) return body;
    // 429 and 503 say when to come back; any other refusal stays one.
    const waitS = Number(response.headers.get('Retry-After'));
    const why = `${body.code}: ${body.detail ?? body.title}`;
    if (!waitS) throw new Error(why);
    if (waitS > LONGEST_WAIT_S || attempt === 3) throw new Error(`${why} (try again in ${waitS} s)`);
    console.error(`${why}: trying again in ${waitS} s`);
    await sleep(waitS * 1000);
  }
}

const [asked] = process.argv.slice(2);
if (!asked || !key) {
  console.error('usage: LAND_LOOKUP_KEY=olk_... node lookup.mjs "13 Marsh Rd, Fiddlehead Corners, ON"');
  process.exit(2);
}
try {
  const { address, layers, dataAsOf } = await lookUp(asked);
  console.log(address);
  // Null is never "no": say so wherever a value is shown.
  const say = (value) => (value === null ? 'nothing known, or none here' : JSON.stringify(value));
  for (const key of ['greenbelt', 'wetlandProximity', 'floodProximity', 'soil'])
    console.log(`${key}: ${say(layers[key])}`);
  console.log(`Greenbelt data of ${dataAsOf.greenbelt}`);
} catch (error) {
  // The cause says why the server was not reached.
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}
