// Import and query an address register of Ontario's size, made from the real extract (ROWS=N)
/**
 * What the address register costs at Ontario's size: `make bench NAME=large-register` writes one of 6.3 million rows from the real extract, imports it, and
 * asks it. ROWS sets another size. Takes several minutes and 3 GB of disk. Fails when a figure is missed.
 */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import { readRows, registerFolder, addressColumns } from '../../workers/import/addresses/files.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { withTypo } from '../support/material/questions/words.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { oddAddress } from '../support/material/odd-addresses.ts';
import { sharedData } from '../support/material/shared-data.ts';
import { emptyGeoPackage, openImmutable } from '../support/material/small-gazetteer.ts';
import { percentiles } from './parts/percentiles.ts';
import { runPart } from './parts/part.ts';

const ASKED = 10_000;
const ROUNDS = 3;

const rowCount = Number(process.env['ROWS'] ?? 6_300_000);
if (sharedData === null) {
  console.log('skipped: no real data');
} else {
  using folder = temporaryFolder();
  const register = join(folder.path, 'register');
  runPart('generate-register', join(sharedData, 'nar'), register, String(rowCount));
  const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
  const start = performance.now();
  let step = '';
  const record = await importAddresses({
    from: register,
    gpkg,
    onProgress: (progress) => {
      const name = progress.kind === 'rows' ? progress.name : progress.text;
      if (name !== step) console.log(`${((performance.now() - start) / 1000).toFixed(0)} s  ${(step = name)}`);
    },
  });
  const minutes = (performance.now() - start) / 60_000;
  const peakGib = process.resourceUsage().maxRSS / 1024 ** 2;
  console.log(`${record.addressRows} rows, ${record.civicPoints} civic points, ${record.streets} streets`);
  const addresses = await sampleOf(register);
  const list = join(folder.path, 'addresses.json');
  writeFileSync(list, JSON.stringify(addresses.exact.slice(0, 5000)));
  const threadMb = Number(runPart('geocoder-memory', gpkg, list));
  const gazetteer = openGazetteer(openImmutable(gpkg));
  const odd = fc.sample(oddAddress, { numRuns: ASKED, seed: 1 });
  const kinds = { exact: addresses.exact, 'one typing error': addresses.typos, 'odd inputs': odd };
  console.table(Object.entries(kinds).map(([kind, texts]) => ({ addresses: kind, ...ask(texts) })));
  judge({ minutes, peakGib, sizeMb: statSync(gpkg).size / 1e6, threadMb });

  /** How many are found, and the milliseconds that one takes: the shortest of some rounds, for the machine may be busy. */
  function ask(texts: readonly string[]): Record<string, number> {
    const best = texts.map(() => Infinity);
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, text] of texts.entries()) {
        const began = performance.now();
        const result = gazetteer.geocode(text);
        best[i] = Math.min(best[i]!, performance.now() - began);
        if (round === 0 && 'found' in result) found++;
      }
    }
    const { p50, p99 } = percentiles(best);
    return { asked: texts.length, found, 'p50 ms': p50, 'p99 ms': p99, 'most ms': Math.max(...best) };
  }
}

function judge(figures: { minutes: number; peakGib: number; sizeMb: number; threadMb: number }): void {
  const limits = { minutes: 15, peakGib: 1.5, sizeMb: 400, threadMb: 60 };
  const rows = Object.entries(limits).map(([name, limit]) => {
    const value = figures[name as keyof typeof limits];
    return { figure: name, value: Math.round(value * 100) / 100, limit, met: value < limit };
  });
  console.table(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}

/** Addresses spread over the register, as written and with one typing error in the street. */
async function sampleOf(register: string): Promise<{ exact: string[]; typos: string[] }> {
  const random = seededRandom(1);
  const { addresses } = await registerFolder(register);
  const [exact, typos]: [string[], string[]] = [[], []];
  const step = Math.max(1, Math.floor(rowCount / ASKED));
  let n = 0;
  for await (const row of readRows(addresses, addressColumns, [], () => undefined)) {
    if (n++ % step !== 0) continue;
    const rest = `${row.type} ${row.direction}, ${row.municipality}, ON ${row.postalCode}`;
    exact.push(`${row.civic}${row.suffix} ${row.name} ${rest}`);
    const name = withTypo(row.name, random);
    if (name !== null && !/\d/.test(name)) typos.push(`${row.civic}${row.suffix} ${name} ${rest}`);
  }
  return { exact, typos };
}
