import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchStates, type BatchJob } from '../../../src/features/batches/job.ts';
import { resultsStream } from '../../../src/features/batches/results.ts';
import { resultFormats, type ResultFormat } from '../../../src/features/batches/wire/batch.ts';
import { rowOfLine } from '../../../src/features/batches/results.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { AppError } from '../../../src/messages/problems.ts';
import { areaBody, foundLine, job, joinedText, notFound, oneOfEach, placeBody, storeOf } from './stored-results.ts';
import fc from '../../support/drivers/fast-check.ts';

const catalogue = readCatalogue(join(projectDir, 'layers'));
const attribution = ['Contains "A", and B.', '=Adapted from C.'];

type Store = ReturnType<typeof storeOf>;
const resultsOf = (
  store: Store,
  format: ResultFormat,
  { afterRow = 0, of = job }: { readonly afterRow?: number; readonly of?: BatchJob } = {},
): Promise<string> => joinedText(resultsStream(store, of, { format, afterRow, catalogue, attribution }));

const many = (count: number): string[] => Array.from({ length: count }, (_, i) => foundLine(i + 1, placeBody));

describe('Results of a batch', () => {
  it('are in NDJSON the rows as they are stored, the first with the statements of the licences', async () => {
    const text = await resultsOf(storeOf(oneOfEach), 'ndjson');
    const rows = text.trimEnd().split('\n');
    expect(JSON.parse(rows[0]!)).to.deep.equal({ ...(JSON.parse(oneOfEach[0]!) as object), attribution });
    expect(rows.slice(1)).to.deep.equal(oneOfEach.slice(1));
  });

  it('are in CSV a table with the ids of lookups, in which an area is JSON', async () => {
    const rows = parse<Record<string, string>>(await resultsOf(storeOf(oneOfEach), 'csv'), { columns: true });
    const names = Object.keys(rows[0]!);
    expect(names.slice(0, 9)).to.deep.equal([
      ...['row', 'custom_id', 'status', 'code', 'lookup_id', 'address', 'lat', 'lon', 'greenbelt'],
    ]);
    expect(names.slice(-2)).to.deep.equal(['area', 'attribution']);
    const [found, missing, area, failed] = rows;
    expect(found).to.include({ row: '1', custom_id: "'=1+1", status: '200', code: '', address: placeBody.address });
    expect(found!['lookup_id']).to.match(/^lkp_[0-9a-f]{32}$/);
    expect(found).to.include({ greenbelt: 'false', ormcp: "'=Core", 'soil.cliClass': '1', 'soil.description': '' });
    expect(found).to.include({ 'waterWells.count500m': '2', area: '', attribution: attribution.join(' ') });
    expect(missing).to.include({ custom_id: ',"body":{2', status: '404', code: 'ADDRESS_NOT_FOUND', lookup_id: '' });
    expect(area).to.include({ custom_id: '', status: '200', lat: '44.2', lon: '-78.5', address: '', greenbelt: '' });
    const { areaM2, repaired, insideOntarioShare, layers } = areaBody;
    expect(JSON.parse(area!['area']!)).to.deep.equal({ areaM2, repaired, insideOntarioShare, layers });
    expect(failed).to.include({ row: '4', status: '500', code: 'INTERNAL', lat: '', area: '', attribution: '' });
  });

  it('are in GeoJSON features with the ids of lookups, an area at the point inside it', async () => {
    const { features, attribution: statements } = JSON.parse(await resultsOf(storeOf(oneOfEach), 'geojson')) as {
      features: { geometry: unknown; properties: Record<string, unknown> }[];
      attribution: unknown;
    };
    expect(statements).to.deep.equal(attribution);
    expect(features.map(({ geometry }) => geometry)).to.deep.equal([
      { type: 'Point', coordinates: [-78.61, 44.1] },
      null,
      { type: 'Point', coordinates: [-78.5, 44.2] },
      null,
    ]);
    const [found, missing, area, failed] = features.map(({ properties }) => properties);
    expect(found).to.deep.include({ greenbelt: false, 'soil.cliClass': '1', nep: null, dataAsOf: placeBody.dataAsOf });
    expect(found!['lookup_id']).to.match(/^lkp_/);
    expect(missing).to.deep.include({ lookup_id: null, code: 'ADDRESS_NOT_FOUND', ...notFound });
    expect(area).to.deep.include({ areaM2: 4046.9, repaired: false, layers: areaBody.layers });
    expect(area).to.not.have.any.keys('greenbelt', 'address', 'lat');
    expect(failed).to.deep.include({ status: 500, code: 'INTERNAL', detail: 'Internal error' });
  });

  it('are the same bytes at once and in parts', async () => {
    const lines = many(2300);
    lines[0] = oneOfEach[0]!;
    lines[1] = oneOfEach[1]!;
    for (const format of ['ndjson', 'csv'] as const) {
      const whole = await resultsOf(storeOf(lines), format);
      expect(whole.split('\n').length - 1, format).to.equal(2300 + (format === 'csv' ? 1 : 0));
      for (const afterRow of [1, 2, 999, 1000, 1001, 2299, 2300, 5000]) {
        const rest = await resultsOf(storeOf(lines), format, { afterRow });
        const [begin] = split(whole, afterRow + (format === 'csv' ? 1 : 0));
        expect(begin + rest === whole, `${format} after ${afterRow}`).to.equal(true);
      }
    }
  });

  it('can be read while the batch runs, as far as it has come', async () => {
    const running: BatchJob = { ...job, state: 'running', rows: 5000 };
    const lines = many(3000);
    for (const format of ['ndjson', 'csv'] as const) {
      const text = await resultsOf(storeOf(lines, 2), format, { of: running });
      expect(text.split('\n').length - 1).to.equal(2000 + (format === 'csv' ? 1 : 0));
    }
    expect(await resultsOf(storeOf(lines, 2), 'ndjson', { of: running, afterRow: 2000 })).to.equal('');
    expect(await resultsOf(storeOf([], 0), 'ndjson', { of: running })).to.equal('');
    expect(await resultsOf(storeOf([], 0), 'csv', { of: running })).to.match(/^row,custom_id,.*,attribution\n$/);
  });

  it('are refused before the end in formats that need it, and from a row on', () => {
    for (const format of ['geojson', 'parquet'] as const) {
      for (const state of batchStates) {
        const ask = (afterRow: number): unknown =>
          resultsStream(storeOf(oneOfEach), { ...job, state }, { format, afterRow, catalogue, attribution });
        const isEnd = ['completed', 'failed', 'cancelled', 'expired'].includes(state);
        const refusal = refusalOf(() => ask(isEnd ? 1 : 0));
        expect(refusal?.code, `${format} ${state}`).to.equal(isEnd ? 'BAD_REQUEST' : 'CONFLICT');
        expect(refusal!.message)
          .to.contain('ndjson or csv')
          .and.contain(isEnd ? 'after' : state);
        if (isEnd) expect(refusalOf(() => ask(0))).to.equal(null);
      }
    }
    expect(refusalOf(() => void resultsOf(storeOf([]), 'csv'))).to.equal(null);
  });

  it('read no chunk before it is needed, and each once', async () => {
    for (const format of resultFormats) {
      const store = storeOf(many(3000));
      const stream = resultsStream(store, job, { format, afterRow: 0, catalogue, attribution });
      expect(store.read).to.deep.equal([]);
      const parts = stream[Symbol.asyncIterator]();
      if (format !== 'parquet') {
        await parts.next();
        expect(store.read, format).to.deep.equal([0]);
      }
      for (let part = await parts.next(); part.done !== true;) part = await parts.next();
      expect(store.read, format).to.deep.equal([0, 1, 2]);
    }
  });

  it('come in parts of at most 256 KiB, however long the rows and wide the letters are', async () => {
    // Text that cannot be compressed, for Parquet.
    const ownText = (i: number): string =>
      createHash('shake256', { outputLength: 600 }).update(`${i}`).digest('hex') + '→'.repeat(11_000);
    const lines = Array.from({ length: 1500 }, (_, i) => foundLine(i + 1, { ...placeBody, address: ownText(i) }));
    const store = storeOf(lines);
    for (const format of resultFormats) {
      let most = 0;
      for await (const part of resultsStream(store, job, { format, afterRow: 0, catalogue, attribution })) {
        most = Math.max(most, Buffer.byteLength(part));
      }
      expect(most, format).to.be.within(50_000, 256 * 1024);
    }
  });

  it('let other work have its turn', async () => {
    for (const format of resultFormats) {
      const others = { turns: 0, areOver: false };
      const working = (async () => {
        for (; !others.areOver; others.turns++) await nextTurn();
      })();
      await resultsOf(storeOf(many(1000)), format);
      others.areOver = true;
      await working;
      // The rows are half a megabyte of text. Those of NDJSON are not taken apart.
      expect(others.turns, format).to.be.greaterThan(format === 'ndjson' ? 2 : 20);
    }
  });
});

describe('A stored row', () => {
  it('is read with any identifier and any body', () => {
    fc.assert(
      fc.property(fc.nat(), fc.option(fc.string({ unit: 'grapheme' })), fc.json(), (row, customId, value) => {
        const body = { ...placeBody, address: `${value},"body":{}}` };
        const { answer, ...rest } = rowOfLine(foundLine(row, body, customId));
        expect(rest).to.include({ row, customId });
        expect(answer).to.deep.equal({ ok: true, value: JSON.stringify(body) });
      }),
    );
  });
});

/** The first lines, and the rest. */
function split(text: string, lines: number): [string, string] {
  let end = 0;
  for (let line = 0; line < lines && end < text.length; line++) end = text.indexOf('\n', end) + 1;
  return [text.slice(0, end), text.slice(end)];
}

function refusalOf(work: () => unknown): AppError | null {
  try {
    work();
    return null;
  } catch (cause) {
    if (cause instanceof AppError) return cause;
    throw cause;
  }
}
