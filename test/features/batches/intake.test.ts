import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { takeIn, type IntakeOptions } from '../../../src/features/batches/intake.ts';
import type { AskedRow } from '../../../src/features/batches/rows/row.ts';
import { AppError, unavailable } from '../../../src/messages/problems.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}

interface Given extends Partial<Omit<IntakeOptions, 'input'>> {
  readonly pieces?: number;
}

/** Chunks of rows, and what the upload was. */
async function take(text: string | Uint8Array, { pieces = 1 << 16, ...given }: Given = {}) {
  const chunks: (readonly AskedRow[])[] = [];
  const input = {
    add: (rows: readonly AskedRow[]): Promise<void> => {
      chunks.push(rows);
      return Promise.resolve();
    },
    discard: (): Promise<void> => Promise.resolve(),
  };
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const taken = await takeIn(inPieces(bytes, pieces), { format: 'csv', isGzip: false, ...given, input });
  return { ...taken, chunks };
}

async function refusalOf(text: string | Uint8Array, given: Given = {}): Promise<[code: string, detail: string]> {
  try {
    await take(text, given);
  } catch (cause) {
    if (cause instanceof AppError) return [cause.code, cause.message];
    throw cause;
  }
  throw new Error('it was not refused');
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('The intake of a batch', () => {
  it('stores all rows in chunks of 1,000, and measures the file', async () => {
    const rows = Array.from({ length: 2345 }, (_, i) => `c${i},${i} Main St\n`);
    const text = `custom_id,address\n${rows.join('')}`;
    const { chunks, ...taken } = await take(text, { pieces: 777 });
    expect(chunks.map(({ length }) => length)).to.deep.equal([1000, 1000, 345]);
    expect(chunks.flat()[2344]).to.deep.equal({
      customId: 'c2344',
      place: { ok: true, value: { kind: 'address', address: '2344 Main St' } },
    });
    expect(taken).to.include({ rows: 2345, bytes: text.length });
    expect((await take(gzipSync(text), { isGzip: true })).sha256).to.equal(taken.sha256);
  });

  it('keeps a bad row as a row', async () => {
    const { chunks } = await take('address,notes\n12 Main St,\n"12\u0007",\n13 Main St,x,y\n');
    expect(chunks.flat().map(({ place }) => place.ok)).to.deep.equal([true, false, false]);
    const ndjson = await take('{"address":"x"}\n{"address":5}\nno json\n', { format: 'ndjson' });
    expect(ndjson.chunks.flat().map(({ place }) => place.ok)).to.deep.equal([true, false, false]);
  });

  it('refuses what has no usable column', async () => {
    expect(await refusalOf('name,street\nx,y\n')).to.deep.equal([
      'BAD_REQUEST',
      'the file needs a column "address", or columns "lat" and "lon": its header has "name", "street". ' +
        'Where several columns make the address, name them: --address-columns, or address_columns of a request',
    ]);
  });

  for (const text of ['', '\n\n', 'address\n']) {
    it(`refuses what has no rows: ${JSON.stringify(text)}`, async () => {
      expect((await refusalOf(text))[0]).to.equal('BAD_REQUEST');
      expect((await refusalOf(text.replace('address', ''), { format: 'ndjson' }))[1]).to.match(/^the file has no rows/);
    });
  }

  it('names the row, the line and the column of what is not UTF-8', async () => {
    for (const pieces of [1, 3, 7, 1000]) {
      const detail = 'row 3 (line 4), column 13: the byte 0xe9 is not UTF-8: save the file as UTF-8';
      const text = latin1('address\n12 Main St\n13 Main St\n14 Main St, Québec\n15 Main St\n').subarray(0);
      expect(
        await refusalOf(Buffer.from(text.toString('latin1').replace('Québec', 'é'), 'latin1'), { pieces }),
      ).to.deep.equal(['BAD_REQUEST', detail]);
    }
    const accents = Buffer.concat([Buffer.from('address\n12 Côté, Québec, '), latin1('é')]);
    expect((await refusalOf(accents))[1]).to.contain('row 1 (line 2), column 18: the byte 0xe9');
    const cut = Buffer.from('address\n12 Main St 😀').subarray(0, -1);
    expect((await refusalOf(cut, { pieces: 2 }))[1]).to.contain('row 1 (line 2), column 12: the byte 0xf0');
  });

  it('takes UTF-8 in any pieces, with a byte-order mark', async () => {
    const text = '\ufeffaddress\n"1 Côté, Québec"\n2 rue 😀 中\n';
    for (const pieces of [1, 2, 3, 5]) {
      const { chunks } = await take(text, { pieces });
      expect(chunks.flat().map(({ place }) => place.ok && place.value)).to.deep.equal([
        { kind: 'address', address: '1 Côté, Québec' },
        { kind: 'address', address: '2 rue 😀 中' },
      ]);
    }
  });

  const noText: Readonly<Record<string, readonly [file: Uint8Array, detail: string]>> = {
    'an Excel workbook': [Buffer.from('PK\u0003\u0004xx'), 'Excel'],
    'a gzip file that does not say so': [gzipSync('address\nx\n'), 'Content-Encoding: gzip'],
    'UTF-16': [Buffer.from('\ufeffaddress\nx\n', 'utf16le'), 'UTF-16'],
    'UTF-16 without a mark': [Buffer.from('address\nx\n', 'utf16le'), 'binary'],
    'bytes from a picture': [Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]), 'a picture (PNG)'],
  };
  for (const [name, [file, detail]] of Object.entries(noText)) {
    it(`refuses ${name}`, async () => {
      for (const format of ['csv', 'ndjson'] as const) {
        const refusal = await refusalOf(file, { format, pieces: 3 });
        expect(refusal[0]).to.equal('BAD_REQUEST');
        expect(refusal[1])
          .to.match(/^the file is /)
          .and.to.contain(detail);
      }
    });
  }

  it('refuses CSV that is sent as NDJSON', async () => {
    expect(await refusalOf('address\nx\n', { format: 'ndjson' })).to.deep.equal([
      'BAD_REQUEST',
      'the first line is no JSON object: send CSV as CSV',
    ]);
  });

  it('refuses more rows or bytes than a batch may have, also when they are compressed', async () => {
    const text = `address\n${'12 Main St\n'.repeat(50)}`;
    expect(await refusalOf(text, { mostRows: 49 })).to.deep.equal([
      'TOO_LARGE',
      'a batch has at most 49 rows: split the file',
    ]);
    const tooLarge = ['TOO_LARGE', 'the file has more than 0.0005 MB, decompressed: split it'];
    expect(await refusalOf(text, { mostBytes: 500 })).to.deep.equal(tooLarge);
    expect(await refusalOf(gzipSync(text), { mostBytes: 500, isGzip: true })).to.deep.equal(tooLarge);
    await take(text, { mostRows: 50, mostBytes: text.length });
  });

  it('refuses a small file that would be a huge one', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('address\n'), Buffer.alloc(60e6, 0x78)]));
    expect(bomb.length).to.be.below(1e5);
    const before = process.memoryUsage.rss();
    expect((await refusalOf(bomb, { isGzip: true, mostBytes: 50e6 }))[0]).to.equal('TOO_LARGE');
    expect(process.memoryUsage.rss() - before).to.be.below(100e6);
  });

  it('refuses rows that would fill the memory together', async () => {
    const line = `{"address":"x","more":"${'y'.repeat(40_000)}"}\n`;
    const [code, detail] = await refusalOf(line.repeat(900), { format: 'ndjson' });
    expect(code).to.equal('TOO_LARGE');
    expect(detail).to.match(/^rows 1 to \d+ have more than 32 MB together/);
  });

  it('refuses a gzip that ends early or is none', async () => {
    const whole = gzipSync(`address\n${'12 Main St\n'.repeat(5000)}`);
    for (const bytes of [whole.subarray(0, -20), Buffer.from('address\nx\n')]) {
      const [code, detail] = await refusalOf(bytes, { isGzip: true });
      expect([code, detail.slice(0, 31)]).to.deep.equal(
        ['BAD_REQUEST', 'the body is no complete gzip: u'].map((text, i) => (i === 1 ? detail.slice(0, 31) : text)),
      );
      expect(detail).to.contain('no complete gzip');
    }
  });

  it('passes on what the store throws', async () => {
    const full = unavailable('STORAGE_FULL', 'full');
    const input = { add: () => Promise.reject(full), discard: () => Promise.resolve() };
    const source = inPieces(Buffer.from('address\nx\n'), 100);
    const cause = await takeIn(source, { format: 'csv', isGzip: false, input }).catch((reason: unknown) => reason);
    expect(cause).to.equal(full);
  });

  const blanks: Readonly<Record<string, string>> = {
    LF: '\n',
    'CR LF': '\r\n',
    CR: '\r',
    blanks: ' \n',
    'empty fields': ',\n',
  };
  for (const [name, line] of Object.entries(blanks)) {
    it(`has a bound of lines that say nothing: ${name}`, async () => {
      const file = (count: number): string =>
        `address,custom_id\n${line.repeat(count)}12 Main St,x\n${line.repeat(count)}`;
      const given = { mostBlankLines: 200 };
      expect((await take(file(100), given)).rows).to.equal(1);
      expect(await refusalOf(file(101), given)).to.deep.equal([
        'TOO_LARGE',
        'the file has more than 200 empty lines: leave them out',
      ]);
      if (line.trim() === '')
        expect((await refusalOf(line.repeat(300), { ...given, format: 'ndjson' }))[0]).to.equal('TOO_LARGE');
    });
  }

  it('has that bound also of lines that name the separator', async () => {
    const file = (count: number): string => `${'sep=,\n'.repeat(count)}address\n12 Main St\n`;
    expect((await take(file(200), { mostBlankLines: 200 })).rows).to.equal(1);
    expect((await refusalOf(file(201), { mostBlankLines: 200 }))[0]).to.equal('TOO_LARGE');
  });

  it('takes a sheet with blank rows to its very end', async () => {
    expect((await take(`address,b,c\n12 Main St,,\n${',,\n'.repeat(1_048_574)}`)).rows).to.equal(1);
  });

  it('passes on few lines of millions that are empty', async () => {
    const file = `address\n${'\n'.repeat(3_000_000)}12 Main St\n${'\r\n'.repeat(1_500_000)}`;
    const given = { mostBlankLines: 2000 };
    for (const pieces of [10_000, 1 << 16, 1 << 22]) expect((await take(file, { ...given, pieces })).rows).to.equal(1);
    const ndjson = `${'\n'.repeat(3_000_000)}{"address":"x"}\n`;
    expect((await take(ndjson, { ...given, format: 'ndjson' })).rows).to.equal(1);
  });

  it('has a bound of bytes without a row, whatever they are', async () => {
    const given = { mostBytesWithoutRow: 100_000, pieces: 1000 };
    const rows = '12 Main St\n'.repeat(20_000);
    expect((await take(`address\n${rows}${' \n'.repeat(45_000)}`, given)).rows).to.equal(20_000);
    for (const much of [' ', '\n', 'x', '"', '\u0000']) {
      const file = `address\n12 Main St\n${much.repeat(200_000)}`;
      expect(await refusalOf(file, given), JSON.stringify(much)).to.deep.equal([
        'TOO_LARGE',
        'the file has more than 0.1 MB without a row: leave them out',
      ]);
    }
  });

  it('says how many bytes it read of an upload that it refuses', async () => {
    let bytes = 0;
    const onBytes = (count: number): void => {
      bytes += count;
    };
    await refusalOf(gzipSync('\n'.repeat(500_000)), { isGzip: true, onBytes });
    expect(bytes).to.equal(500_000);
    await refusalOf('name,street\nx,y\n'.repeat(1000), { onBytes, pieces: 100 });
    expect(bytes).to.be.within(500_100, 500_300);
  });

  it('refuses a long row for its members before it is parsed', async () => {
    const members = Array.from({ length: 20_000 }, (_, i) => `"m${i}":1`).join();
    const row = `{"geometry":{"type":"Polygon","coordinates":[]},${members}}`;
    const { chunks } = await take(`${row}\n`, { format: 'ndjson' });
    expect(chunks.flat()[0]!.place).to.deep.include({
      ok: false,
      detail: 'the row has more than 5000 names and texts',
    });
  });
});
