/** The write-ahead logs of the databases, while another program reads one of them and afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Journal } from '../../src/core/usage/journal.ts';
import { emptyLogs, logsIn } from '../../src/core/admin/write-ahead-logs.ts';
import { MOST_LOG_BYTES } from '../../src/messages/stores.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openJournalHere } from '../support/drivers/journal-here.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { ownSampleFolder } from '../support/material/served-sample.ts';
import { given } from '../support/drivers/given.ts';

/** As a shell or a backup tool reads that somebody forgot. */
const READER = `
  const db = new (require('better-sqlite3'))(process.argv[1], { readonly: true });
  db.exec('BEGIN; SELECT count(*) FROM usage');
  db.prepare('SELECT count(*) FROM usage').get();
  console.log('reads');
  process.stdin.resume();`;

const LOOKUPS = 300;

describe('The write-ahead log of the journal', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let journal: Journal;
  beforeEach(async () => {
    folder = temporaryFolder();
    journal = await openJournalHere(folder.path);
    await lookUpBesideReader();
  });
  afterEach(async () => {
    await journal[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const size = (): number => logsIn(folder.path).find(({ file }) => file === 'usage.sqlite')!.bytes;

  async function lookUp(name: string): Promise<void> {
    const usage = { id: `lkp_${name}`, keyId: 'key_a', customer: null };
    // Compressed, an answer with its map has some 50 kB.
    const answer = { json: JSON.stringify(randomBytes(40_000).toString('base64')), code: null };
    const answered = { keyId: 'key_a', idempotencyKey: name, requestHash: '', lookupId: usage.id, answer };
    await journal.do('record', { usage, answered });
  }

  async function lookUpBesideReader(): Promise<void> {
    const reader = spawn(process.execPath, ['-e', READER, join(folder.path, 'usage.sqlite')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(reader.stdout, 'data');
    for (let i = 0; i < LOOKUPS; i++) await lookUp(`${i}`);
    expect(size(), 'while it reads').to.be.above(10 * 2 ** 20);
    await emptyLogs(folder.path);
    expect(size(), 'nothing waits for the reader').to.be.above(10 * 2 ** 20);
    reader.kill();
    await once(reader, 'exit');
  }

  it('is empty after the hourly turn, once nobody reads any more', async () => {
    await emptyLogs(folder.path);
    expect(size()).to.equal(0);
    await lookUp('after');
    const [report] = await journal.do('report', { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    expect(report).to.have.property('lookups', LOOKUPS + 1);
  });

  it('is small after the next lookups, once nobody reads any more', async () => {
    for (let i = 0; i < 3; i++) await lookUp(`after-${i}`);
    expect(size()).to.be.at.most(MOST_LOG_BYTES);
  });
});

describe('The write-ahead logs of a service', function () {
  this.timeout(240_000);

  given('batches', 'webhooks').it('are measured, for each file that it keeps open', async () => {
    using folder = ownSampleFolder();
    await using service = await ServiceHere.start(folder.path);
    const measured = (await service.metrics()).matchAll(/^land_lookup_write_ahead_log_bytes\{file="([^"]+)"\} \d+$/gm);
    const files = [...measured].map(([, file]) => file!);
    expect(files).to.include.members(['accounts.sqlite', 'batches/queue.sqlite', 'usage.sqlite']);
    await emptyLogs(folder.path);
    expect(logsIn(folder.path).filter(({ bytes }) => bytes > 0)).to.deep.equal([]);
  });
});
