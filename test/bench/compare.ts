// Measure the comparison of two files of 100,000 full answers: seconds and memory (ROWS=N)
/**
 * `land-lookup compare` of results with full answers about the bundled sample, after an import of other data: `make bench NAME=compare`. A few rows of the
 * second file have another value; or half of them have other distances as well, in the evidence or also in the values. The last column is a mark of all that is printed: the
 * same for two versions of the program that find the same.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';
import { atMost, tell, type Figure } from '../stress/parts/figures-table.ts';
import { cliArguments, cliOrThrow } from '../support/drivers/cli.ts';
import { processFigures } from '../support/drivers/process-figures.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { ownSampleFolder } from '../support/material/served-sample.ts';
import { cpuMs } from './parts/http-load.ts';

const rows = Number(process.env['ROWS'] ?? 100_000);
const PLACES = 400;
const PROMISED_S = 10;
const MOST_MB = 250;
const LOOK_EVERY_MS = 50;
const MOVED_M = 7;

type Body = Pick<FullLookupBody, 'layers' | 'evidence' | 'snapshot'>;

/** What becomes of the n-th row. */
type Later = (body: Body, n: number) => Body;

const cases: Readonly<Record<string, Later>> = {
  '3 % with another value': (body, n) => (n % 33 === 0 ? valued(body) : body),
  'half with other evidence': (body, n) => (n % 33 === 0 ? valued(body) : n % 2 === 0 ? moved(body) : body),
  'half with other distances': (body, n) => (n % 33 === 0 ? valued(body) : n % 2 === 0 ? movedFar(body) : body),
};

using folder = temporaryFolder();
const bodies = answers();
const before = join(folder.path, 'before.ndjson');
await write(before, (body) => body);
const figures: Figure[] = [];
for (const [what, later] of Object.entries(cases)) figures.push(...(await measure(what, later)));
tell(figures);

/** Full answers at places of the sample that have a well, whose distance is in the value. */
function answers(): readonly Body[] {
  using data = ownSampleFolder();
  const places = join(data.path, 'places.csv');
  const side = Math.sqrt(PLACES);
  const points = Array.from({ length: PLACES }, (_, i) =>
    [44.29 + (i % side) * 0.001, -79.33 + Math.floor(i / side) * 0.0015].map((degrees) => degrees.toFixed(5)).join(),
  );
  writeFileSync(places, ['lat,lon', ...points].join('\n'));
  const lines = cliOrThrow(data.path, 'lookup', '--file', places, '--detail', 'full').trim().split('\n');
  return lines.filter((line) => /nearestDistanceM":\d/.test(line)).map((line) => JSON.parse(line) as Body);
}

/** Where other data of all sets came into service. */
function afterImport({ snapshot, ...body }: Body): Body {
  const dataSets = Object.fromEntries(Object.keys(snapshot.dataSets).map((id) => [id, 'aaaaaaaa']));
  return { ...body, snapshot: { ...snapshot, id: '20270101T000000Z-abcdefabcdef', dataSets } };
}

function valued({ layers, ...body }: Body): Body {
  return { ...body, layers: { ...layers, ecoregion: { id: '9Z', name: 'Another one' } } };
}

function moved({ evidence, ...body }: Body): Body {
  const later = Object.entries(evidence).map(([key, one]) => {
    const { distanceM } = one;
    return [key, distanceM ? { ...one, distanceM: distanceM + MOVED_M } : one];
  });
  return { ...body, evidence: Object.fromEntries(later) as Body['evidence'] };
}

function movedFar(body: Body): Body {
  const layers = JSON.stringify(body.layers).replace(
    /(DistanceM":)(\d+)/g,
    (_, name: string, metres: string) => `${name}${Number(metres) + MOVED_M}`,
  );
  return { ...moved(body), layers: JSON.parse(layers) as Body['layers'] };
}

async function write(file: string, later: Later): Promise<void> {
  const out = createWriteStream(file);
  for (let n = 1; n <= rows; n++) {
    const body = JSON.stringify(later(bodies[n % bodies.length]!, n));
    if (
      !out.write(`{"row":${n},"custom_id":"id ${n}","status":200,"code":null,"lookupId":"lkp_${n}","body":${body}}\n`)
    )
      await once(out, 'drain');
  }
  out.end();
  await finished(out);
}

async function measure(what: string, later: Later): Promise<Figure[]> {
  const now = join(folder.path, 'now.ndjson');
  await write(now, (body, n) => afterImport(later(body, n)));
  const startMs = performance.now();
  const command = [...process.execArgv, ...cliArguments, 'compare', before, now];
  const program = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [cpuS, mostMb] = [0, 0];
  const watch = setInterval(() => {
    cpuS = cpuMs(program.pid!) / 1000;
    try {
      mostMb = Math.max(mostMb, processFigures(program.pid!).rssMb);
    } catch {
      // It has ended, and its memory is gone before its times are.
    }
  }, LOOK_EVERY_MS);
  program.once('exit', () => {
    clearInterval(watch);
  });
  const hash = createHash('sha256');
  const sum: Buffer[] = [];
  program.stdout.on('data', (chunk: Buffer) => hash.update(chunk));
  program.stderr.on('data', (chunk: Buffer) => sum.push(chunk));
  await once(program, 'close');
  const wallS = (performance.now() - startMs) / 1000;
  const printed = hash.digest('hex').slice(0, 12);
  const told = Buffer.concat(sum).toString().trim();
  console.log(what, { wallS: Math.round(wallS * 10) / 10, cpuS, mostMb: Math.round(mostMb), told, printed });
  return [
    atMost(`${what}: processor`, cpuS, (PROMISED_S * rows) / 100_000, 's'),
    atMost(`${what}: memory`, mostMb, MOST_MB, 'MB'),
  ];
}
