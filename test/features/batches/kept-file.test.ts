import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keptOrMade } from '../../../src/features/batches/store/batch-files.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { joinedBytes } from './stored-results.ts';

const PARTS = ['one,', 'two,', 'three'].map((text) => Buffer.from(text));

describe('A file that is made of a batch', () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'results.csv');
  let made = 0;
  afterEach(() => {
    rmSync(file, { force: true });
    made = 0;
    counted = [];
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  async function* make(): AsyncGenerator<Uint8Array> {
    made++;
    for (const part of PARTS) yield await Promise.resolve(part);
  }
  let counted: number[] = [];
  const ask = (mostBytes = 1000, hasRoom = true, mayKeep = true): AsyncGenerator<Uint8Array> =>
    keptOrMade(file, {
      mostBytes,
      hasRoom: () => Promise.resolve(hasRoom),
      mayKeep: (bytes) => {
        counted.push(bytes);
        return mayKeep;
      },
      make,
    });
  const text = async (parts: AsyncIterable<Uint8Array>): Promise<string> => (await joinedBytes(parts)).toString();

  it('is made once, and read afterwards', async () => {
    for (let time = 0; time < 3; time++) expect(await text(ask())).to.equal('one,two,three');
    expect([made, readFileSync(file, 'utf8'), readdirSync(folder.path)]).to.deep.equal([
      1,
      'one,two,three',
      ['results.csv'],
    ]);
  });

  it('is not kept when whoever asked leaves before its end', async () => {
    for await (const part of ask()) if (part === PARTS[1]) break;
    expect(readdirSync(folder.path)).to.deep.equal([]);
    expect(await text(ask())).to.equal('one,two,three');
    expect(made).to.equal(2);
  });

  it('is given and not kept when it is too long, the disk is full or the batch is deleted meanwhile', async () => {
    expect(await text(ask(12))).to.equal('one,two,three');
    expect(await text(ask(1000, false))).to.equal('one,two,three');
    const parts = keptOrMade(join(folder.path, 'gone', 'results.csv'), {
      mostBytes: 1000,
      hasRoom: () => Promise.resolve(true),
      mayKeep: () => true,
      make,
    });
    expect(await text(parts)).to.equal('one,two,three');
    expect([made, readdirSync(folder.path)]).to.deep.equal([3, []]);
    expect(await text(ask(13)), 'exactly as long as it may be').to.equal('one,two,three');
    expect(readdirSync(folder.path)).to.deep.equal(['results.csv']);
  });

  it('is counted once, with its bytes, and not kept when they are too many', async () => {
    expect(await text(ask(1000, true, false))).to.equal('one,two,three');
    expect([counted, readdirSync(folder.path)]).to.deep.equal([[13], []]);
    await Promise.all([text(ask()), text(ask())]);
    expect([counted, readdirSync(folder.path)]).to.deep.equal([[13, 13], ['results.csv']]);
  });

  it('is whole for each of two who ask at once', async () => {
    expect(await Promise.all([text(ask()), text(ask())])).to.deep.equal(['one,two,three', 'one,two,three']);
    expect([readFileSync(file, 'utf8'), readdirSync(folder.path)]).to.deep.equal(['one,two,three', ['results.csv']]);
  });
});
