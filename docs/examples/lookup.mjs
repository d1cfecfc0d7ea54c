// Looks addresses up with JavaScript (Node.js 18 or newer, or a browser; no packages).
// usage: node lookup.mjs "13 Marsh Rd, Fiddlehead Corners, ON"
const url = process.env.LAND_LOOKUP_URL ?? 'http://127.0.0.1:8080';
const key = process.env.LAND_LOOKUP_KEY;

async function lookUp(address) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${url}/api/lookup`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ address }),
    });
    const body = await response.json();
    if (response.ok) return body;
    // 429 and 503 say when to come back; any other refusal stays one.
    const wait = Number(response.headers.get('Retry-After'));
    if (!wait || attempt === 3) throw new Error(`${body.code}: ${body.detail ?? body.title}`);
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}

try {
  const { address, layers, dataAsOf } = await lookUp(process.argv[2]);
  console.log(address);
  // Null is never "no": say so wherever a value is shown.
  const say = (value) => (value === null ? 'nothing known, or none here' : JSON.stringify(value));
  for (const key of ['greenbelt', 'wetlandProximity', 'floodProximity', 'soil'])
    console.log(`${key}: ${say(layers[key])}`);
  console.log(`Greenbelt data of ${dataAsOf.greenbelt}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
