// Looks up all places of a CSV file with JavaScript (Node.js 20 or newer; no packages).
// usage: node batch.mjs places.csv results.ndjson
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const url = `${process.env.LAND_LOOKUP_URL ?? 'http://127.0.0.1:8080'}/api/batches`;
const key = process.env.LAND_LOOKUP_KEY;
const [places, results] = process.argv.slice(2);
const unfinished = ['queued', 'validating', 'running', 'finalizing'];

// 429, 503 and a lost connection get further attempts; any other refusal stays one.
async function ask(path = '', options = {}) {
  for (let attempt = 1; ; attempt++) {
    let wait = 2;
    try {
      const response = await fetch(url + path, {
        ...options,
        headers: { Authorization: `Bearer ${key}`, ...options.headers },
      });
      if (response.ok) return response;
      const { code, detail, title } = await response.json();
      wait = Number(response.headers.get('Retry-After'));
      if (!wait || attempt === 6) throw new Error(`${code}: ${detail ?? title}`);
    } catch (error) {
      // `fetch` throws a TypeError when the server is not reached.
      if (!(error instanceof TypeError) || attempt === 6) throw error;
    }
    await sleep(wait * 1000);
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
  console.error(error.message);
  process.exitCode = 1;
}
