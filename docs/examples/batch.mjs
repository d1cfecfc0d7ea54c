// Looks up all places of a CSV file with JavaScript (Node.js 20 or newer; no packages).
// usage: LAND_LOOKUP_KEY=olk_... node batch.mjs places.csv results.ndjson
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const url = `${process.env.LAND_LOOKUP_URL ?? 'http://127.0.0.1:8080'}/api/batches`;
const key = process.env.LAND_LOOKUP_KEY;
const [places, results] = process.argv.slice(2);
// Longer waits are left to you: a key that has used its rows of the day says "in twelve hours".
const LONGEST_WAIT_S = 60;
const unfinished = ['queued', 'validating', 'running', 'finalizing'];

// 429, 503 and a lost connection get further attempts; any other refusal stays one.
async function ask(path = '', options = {}) {
  for (let attempt = 1; ; attempt++) {
    let waitS = 2;
    try {
      const response = await fetch(url + path, {
        ...options,
        headers: { Authorization: `Bearer ${key}`, ...options.headers },
      });
      if (response.ok) return response;
      const { code, detail, title } = await response.json();
      const why = `${code}: ${detail ?? title}`;
      waitS = Number(response.headers.get('Retry-After'));
      if (!waitS) throw new Error(why);
      if (waitS > LONGEST_WAIT_S || attempt === 6) throw new Error(`${why} (try again in ${waitS} s)`);
      console.error(`${why}: trying again in ${waitS} s`);
    } catch (error) {
      // `fetch` throws a TypeError when the server is not reached.
      if (!(error instanceof TypeError) || attempt === 6) throw error;
    }
    await sleep(waitS * 1000);
  }
}

async function send() {
  const body = await readFile(places);
  // The key names this file: sent again, it gets the batch that exists, and is not paid twice.
  const idempotencyKey = createHash('sha256').update(body).digest('hex');
  const headers = { 'Content-Type': 'text/csv', 'Idempotency-Key': idempotencyKey };
  return (await ask('', { method: 'POST', headers, body })).json();
}

async function waitFor(batch) {
  while (unfinished.includes(batch.state)) {
    console.error(`${batch.state}: ${batch.rows.done} of ${batch.rows.total} rows`);
    await sleep(1000);
    batch = await (await ask(`/${batch.id}`)).json();
  }
  return batch;
}

// Yields the lines of the results. A download that breaks off goes on after the last whole row.
async function* linesOf({ id, rows, state }) {
  for (let row = 0, before = -1; row < rows.done;) {
    if (row === before && state === 'completed') throw new Error(`no results come after row ${row}`);
    if (row === before) return;
    before = row;
    const { body } = await ask(`/${id}/results?format=ndjson&after=${row}`);
    let rest = '';
    try {
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          row = JSON.parse(line).row;
          yield line;
        }
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

if (!places || !results || !key) {
  console.error('usage: LAND_LOOKUP_KEY=olk_... node batch.mjs places.csv results.ndjson');
  process.exit(2);
}
try {
  const sent = await send();
  console.error(`batch ${sent.id}`);
  const batch = await waitFor(sent);
  const counts = {};
  const file = createWriteStream(results);
  for await (const line of linesOf(batch)) {
    const outcome = JSON.parse(line).code ?? 'found';
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (!file.write(`${line}\n`)) await new Promise((resolve) => file.once('drain', resolve));
  }
  await new Promise((resolve, reject) => file.on('error', reject).end(resolve));
  console.log(
    Object.entries(counts)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', '),
  );
  if (batch.state !== 'completed')
    throw new Error(`the batch is ${batch.state}: ${batch.error ?? 'only the rows above are answered'}`);
} catch (error) {
  // The cause says why the server was not reached.
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}
