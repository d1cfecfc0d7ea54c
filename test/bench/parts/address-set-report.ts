/** How good and how fast the embedded geocoder is on the sets of addresses beside the register extract. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gazetteer } from '../../../workers/engine/gazetteer/open.ts';
import { importAddresses } from '../../../workers/import/addresses/import-register.ts';
import { openGazetteer } from '../../../workers/engine/gazetteer/open.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { emptyGeoPackage, openImmutable } from '../../support/material/small-gazetteer.ts';
import { negatives, positives, WRONG_M, type NegativeRow, type PositiveRow } from './address-sets.ts';
import { runPart } from './part.ts';

/** Each row is asked this often, and its shortest time counts: the machine may be busy with other things. */
const ROUNDS = 40;

const WORST_ROWS = 20;

/** Asks for every row of the sets. Fails the process when one of the figures that do not depend on the machine is missed. */
export async function reportAddressSets(data: string): Promise<void> {
  using folder = temporaryFolder();
  const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
  const record = await importAddresses({ from: join(data, 'nar'), gpkg });
  console.log(`${record.addressRows} register rows, ${record.civicPoints} civic points, ${record.streets} streets\n`);
  const gazetteer = openGazetteer(openImmutable(gpkg));
  const good = positives(join(data, 'addresses', 'development.csv'), gazetteer);
  const bad = negatives(join(data, 'addresses', 'negative.csv'), gazetteer);
  report(good, bad);
  timings(good, gazetteer);
  const addresses = [...good, ...bad].map(({ query }) => query);
  judge(good, bad, memoryOfThread(folder.path, gpkg, addresses));
}

function report(good: readonly PositiveRow[], bad: readonly NegativeRow[]): void {
  heading('worst rows');
  const missed = good.filter(({ isWithin }) => !isWithin);
  missed.sort((a, b) => (b.errorM ?? -1) - (a.errorM ?? -1));
  for (const row of missed.slice(0, WORST_ROWS)) console.log(`${row.query}  [${row.variant}]  ${saidOf(row)}`);
  const accepted = bad.filter(({ status, expected }) => status !== expected);
  for (const row of accepted.slice(0, WORST_ROWS)) {
    console.log(`${row.query.slice(0, 100)}  [${row.why}]  ${row.status} ${row.said}, not ${row.expected}`);
  }
  if (missed.length + accepted.length === 0) console.log('none');
  heading('by variant');
  console.table(grouped(good, ({ variant }) => variant, quality));
  heading('by source');
  console.table(
    grouped(
      good,
      ({ source }) => source,
      (rows) => ({ ...quality(rows), ...errors(rows) }),
    ),
  );
  heading('refused although the address exists, by reason');
  console.table(
    grouped(
      good.filter(({ errorM }) => errorM === null),
      saidOf,
      (rows) => ({ rows: rows.length }),
    ),
  );
  heading('to be refused, by what is wrong with them');
  console.table(
    grouped(
      bad,
      ({ why }) => why,
      (rows) => ({
        rows: rows.length,
        'expected status': rows.filter(({ status, expected }) => status === expected).length,
        said: [...new Set(rows.map(({ said }) => said))].join(', '),
      }),
    ),
  );
}

function quality(rows: readonly PositiveRow[]): Record<string, string | number> {
  const found = rows.flatMap(({ result }) => ('found' in result ? [result.found] : []));
  const between = found.filter(({ accuracy }) => accuracy === 'interpolated').length;
  const exact = found.filter(({ score, accuracy }) => score === 1 && accuracy !== 'interpolated').length;
  return {
    rows: rows.length,
    'within %': percent(rows.filter(({ isWithin }) => isWithin).length, rows.length),
    [`over ${WRONG_M} m`]: rows.filter(({ errorM }) => (errorM ?? 0) > WRONG_M).length,
    refused: rows.length - found.length,
    exact,
    corrected: found.length - exact - between,
    interpolated: between,
  };
}

function errors(rows: readonly PositiveRow[]): Record<string, number> {
  const metres = rows.flatMap(({ errorM }) => errorM ?? []).sort((a, b) => a - b);
  return { 'p50 m': at(metres, 0.5), 'p90 m': at(metres, 0.9), 'p99 m': at(metres, 0.99), 'most m': at(metres, 1) };
}

function timings(good: readonly PositiveRow[], gazetteer: Gazetteer): void {
  heading(`microseconds for one address in one thread, the shortest of ${ROUNDS} rounds, and over all rounds`);
  const kinds = {
    exact: good.filter(({ variant, isWithin }) => variant !== 'typo' && isWithin),
    typo: good.filter(({ variant }) => variant === 'typo'),
  };
  console.table(
    Object.entries(kinds).map(([kind, rows]) => {
      const all: number[] = [];
      const best = rows.map(() => Infinity);
      for (let round = 0; round < ROUNDS; round++) {
        for (const [i, { query }] of rows.entries()) {
          const start = performance.now();
          gazetteer.geocode(query);
          const us = (performance.now() - start) * 1000;
          all.push(us);
          best[i] = Math.min(best[i]!, us);
        }
      }
      all.sort((a, b) => a - b);
      best.sort((a, b) => a - b);
      return {
        rows: kind,
        p50: at(best, 0.5),
        p99: at(best, 0.99),
        most: at(best, 1),
        'all p50': at(all, 0.5),
        'all p99': at(all, 0.99),
      };
    }),
  );
}

/** The figures that a release must have. */
function judge(good: readonly PositiveRow[], bad: readonly NegativeRow[], memoryMb: number): void {
  const typos = good.filter(({ variant }) => variant === 'typo');
  const share = (rows: readonly unknown[], all: readonly unknown[]): number => (rows.length * 100) / all.length;
  const figures: [name: string, value: number, isMet: (value: number) => boolean, wanted: string][] = [
    [
      'within the stated distance, %',
      share(
        good.filter(({ isWithin }) => isWithin),
        good,
      ),
      (v) => v >= 98,
      'at least 98',
    ],
    [
      `over ${WRONG_M} m away, %`,
      share(
        good.filter(({ errorM }) => (errorM ?? 0) > WRONG_M),
        good,
      ),
      (v) => v <= 0.2,
      'at most 0.2',
    ],
    [
      'typing errors within, %',
      share(
        typos.filter(({ isWithin }) => isWithin),
        typos,
      ),
      (v) => v >= 90,
      'at least 90',
    ],
    [
      'refused with the expected status, %',
      share(
        bad.filter((row) => row.status === row.expected),
        bad,
      ),
      (v) => v >= 99,
      'at least 99',
    ],
    ['memory of a thread, all included, MB', memoryMb, (v) => v < 60, 'under 60'],
  ];
  console.table(
    figures.map(([figure, value, isMet, wanted]) => ({ figure, value: rounded(value), wanted, met: isMet(value) })),
  );
  if (figures.some(([, value, isMet]) => !isMet(value))) process.exitCode = 1;
}

function grouped<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  describe: (rows: readonly Row[]) => Record<string, string | number>,
): Record<string, Record<string, string | number>> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(nameOf(row), [...(groups.get(nameOf(row)) ?? []), row]);
  const table = [...groups]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([name, group]) => [name, describe(group)] as const);
  return Object.fromEntries(groups.size > 1 ? [...table, ['all', describe(rows)]] : table);
}

function saidOf({ result, errorM }: PositiveRow): string {
  if ('refused' in result) return result.refused.reason;
  const faults = result.found.faults.map(({ code }) => code).join(' ');
  return `${Math.round(errorM ?? 0)} m: ${result.found.address} ${faults}`;
}

function heading(text: string): void {
  console.log(`\n${text}`);
}

function percent(part: number, whole: number): number {
  return rounded((part * 100) / whole);
}

function at(sorted: readonly number[], share: number): number {
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Megabytes of one thread that has answered every address, measured in a process of its own. */
function memoryOfThread(folder: string, gpkg: string, addresses: readonly string[]): number {
  const list = join(folder, 'addresses.json');
  writeFileSync(list, JSON.stringify(addresses));
  return Number(runPart('geocoder-memory', gpkg, list));
}
