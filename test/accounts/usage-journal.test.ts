import { expect } from 'chai';
import Database from 'better-sqlite3';
import { readFileSync, statfsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Journal } from '../../src/core/usage/journal.ts';
import { createLookupId } from '../../src/core/lookup/metered-lookup.ts';
import { pruneUsage } from '../../src/core/usage/retention.ts';
import type { UsageRecord } from '../../src/messages/journal.ts';
import { AppError } from '../../src/messages/problems.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const DAY_MS = 86_400_000;
const ALL = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

function usage(values: Partial<UsageRecord> = {}): UsageRecord {
  const atMs = values.atMs ?? Date.now();
  return { id: createLookupId(atMs), keyId: 'key_a', customer: 'cus_a', atMs, ...values };
}

function takeAll(journal: Journal, nowMs = Date.now()) {
  return journal.do('takePending', { nowMs, after: '', customers: 100, perCustomer: 100 });
}

describe('Usage journal', function () {
  this.timeout(240_000);

  it('has on the disk what it has acknowledged, each lookup once', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    const records = Array.from({ length: 1000 }, () => usage());
    await Promise.all(records.map((record) => journal.do('record', { usage: record, answered: null })));
    await journal.do('record', { usage: records[0]!, answered: null });
    const db = new Database(join(folder.path, 'usage.sqlite'), { readonly: true });
    expect(db.prepare('SELECT id FROM usage ORDER BY id').pluck().all()).to.deep.equal(
      records.map(({ id }) => id).sort(),
    );
    expect(db.pragma('journal_mode', { simple: true })).to.equal('wal');
    db.close();
  });

  it('commits what comes while it writes in one go', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    const record = () => journal.do('record', { usage: usage(), answered: null });
    // While somebody reads an earlier state, the log of changes only grows.
    const reader = new Database(join(folder.path, 'usage.sqlite'), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM usage').get();
    const commits = (): number => commitsIn(readFileSync(join(folder.path, 'usage.sqlite-wal')));
    const [single, together] = [50, 1000];
    const before = commits();
    for (let i = 0; i < single; i++) await record();
    const afterSingle = commits();
    await Promise.all(Array.from({ length: together }, record));
    const afterTogether = commits();
    reader.close();
    expect(afterSingle - before).to.be.at.least(single);
    expect(afterTogether - afterSingle).to.be.within(1, together / 10);
  });

  it('is written by several at once', async () => {
    using folder = temporaryFolder();
    const journals = await Promise.all(Array.from({ length: 4 }, () => Journal.open({ dataDir: folder.path })));
    await Promise.all(
      journals.flatMap((journal) =>
        Array.from({ length: 200 }, () => journal.do('record', { usage: usage(), answered: null })),
      ),
    );
    const [row] = await journals[0]!.do('report', ALL);
    expect(row).to.include({ lookups: 800, pending: 800 });
    expect(
      await Promise.all(journals.map((journal) => journal.do('lead', null))),
      'one of them delivers',
    ).to.have.members([true, false, false, false]);
    for (const journal of journals) await journal[Symbol.asyncDispose]();
    await using next = await Journal.open({ dataDir: folder.path });
    expect(await next.do('lead', null), 'the lead ends with its holder').to.equal(true);
  });

  it('hands out pending lookups in order, fairly among customers, and not the unbilled', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    const big = Array.from({ length: 30 }, (_, i) => usage({ customer: 'cus_a', atMs: Date.now() - 1000 + i }));
    for (const record of big) await journal.do('record', { usage: record, answered: null });
    const small = usage({ customer: 'cus_b', keyId: 'key_b' });
    await journal.do('record', { usage: small, answered: null });
    await journal.do('record', { usage: usage({ customer: null }), answered: null });
    const taken = await journal.do('takePending', { nowMs: Date.now(), after: '', customers: 10, perCustomer: 5 });
    expect(taken.map(({ id }) => id)).to.deep.equal([...big.slice(0, 5), small].map(({ id }) => id));
    const after = await journal.do('takePending', { nowMs: Date.now(), after: 'cus_a', customers: 10, perCustomer: 5 });
    expect(after.map(({ customer }) => customer)).to.deep.equal(['cus_b']);
    expect(await journal.do('backlog', null)).to.include({ pending: 31, oldestMs: big[0]!.atMs });
  });

  it('keeps what happened to each lookup, with reasons', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    const [a, b, c, d] = [usage(), usage(), usage(), usage({ customer: null })];
    for (const record of [a, b, c, d]) await journal.do('record', { usage: record, answered: null });
    await takeAll(journal);
    await journal.do('settle', [
      { id: a.id, resends: 0, outcome: 'delivered' },
      { id: b.id, resends: 0, outcome: 'rejected', reason: '400: No such customer' },
      { id: c.id, resends: 0, outcome: 'unsent' },
    ]);
    const totals = await journal.do('report', { ...ALL, keyId: 'key_a' });
    expect(totals).to.deep.equal([
      {
        keyId: 'key_a',
        customer: null,
        lookups: 1,
        unbilled: 1,
        pending: 0,
        delivered: 0,
        rejected: 0,
        too_old: 0,
        uncertain: 0,
      },
      {
        keyId: 'key_a',
        customer: 'cus_a',
        lookups: 3,
        unbilled: 0,
        pending: 1,
        delivered: 1,
        rejected: 1,
        too_old: 0,
        uncertain: 0,
      },
    ]);
    expect(await journal.do('reasons', ALL)).to.deep.equal([
      { state: 'rejected', reason: '400: No such customer', lookups: 1, oldestMs: b.atMs },
    ]);
    expect(await journal.do('resend', { states: ['rejected'] })).to.equal(1);
    expect((await takeAll(journal)).map(({ id, isFirstAttempt }) => [id, isFirstAttempt])).to.deep.equal([
      [b.id, true],
      [c.id, true],
    ]);
    expect((await takeAll(journal)).map(({ isFirstAttempt }) => isFirstAttempt)).to.deep.equal([false, false]);
    await journal.do('settle', [{ id: a.id, resends: 0, outcome: 'rejected', reason: 'customer_not_found' }]);
    expect((await journal.do('report', ALL))[1], 'found out later').to.include({ delivered: 0, rejected: 1 });
  });

  it('sends nothing that is too old, nor again what may have arrived and would not be recognised', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    const nowMs = Date.now();
    const old = usage({ atMs: nowMs - 37 * DAY_MS, customer: 'cus_old' });
    const recent = usage({ atMs: nowMs - 34 * DAY_MS });
    const lost = usage({ atMs: nowMs - 2 * DAY_MS, customer: 'cus_lost' });
    for (const record of [old, recent, lost]) await journal.do('record', { usage: record, answered: null });
    const first = await takeAll(journal, nowMs - 25 * 3_600_000);
    expect(first.map(({ id }) => id)).to.have.members([recent.id, lost.id]);
    await journal.do('settle', [{ id: recent.id, resends: 0, outcome: 'unsent' }]);
    expect((await takeAll(journal, nowMs)).map(({ id }) => id)).to.deep.equal([recent.id]);
    const states = (await journal.do('reasons', ALL)).map(({ state }) => state);
    expect(states).to.have.members(['too_old', 'uncertain']);
  });

  it('gives space back for what is settled and old, and keeps what is pending', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    const old = Date.now() - 500 * DAY_MS;
    const settled = Array.from({ length: 12_000 }, (_, i) => usage({ atMs: old + i, customer: null }));
    await Promise.all(settled.map((record) => journal.do('record', { usage: record, answered: null })));
    await journal.do('record', { usage: usage({ atMs: old }), answered: null });
    const pages = (): number => {
      const db = new Database(join(folder.path, 'usage.sqlite'), { readonly: true });
      const count = db.pragma('page_count', { simple: true }) as number;
      db.close();
      return count;
    };
    const before = pages();
    expect(await pruneUsage(journal, { usageBeforeMs: Date.now() - 400 * DAY_MS })).to.equal(12_000);
    expect(pages()).to.be.lessThan(before / 4);
    expect(await journal.do('backlog', null)).to.include({ pending: 1 });
  });

  it('fails as a whole on a full disk, and goes on when there is space again', async function () {
    using folder = temporaryFolder();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder.path]);
    if (mounted.status !== 0) {
      console.log('skipped: cannot mount a small file system here');
      this.skip();
    }
    try {
      const journal = await Journal.open({ dataDir: folder.path });
      let kept = 0;
      let failure: unknown = null;
      while (failure === null) {
        failure = await journal.do('record', { usage: usage(), answered: null }).then(
          () => (kept++, null),
          (cause: unknown) => cause,
        );
      }
      expect(failure).to.be.instanceOf(AppError).with.property('code', 'DB_ERROR');
      expect(statfsSync(folder.path).bavail).to.be.lessThan(10);
      spawnSync('mount', ['-o', 'remount,size=8m', folder.path]);
      await journal.do('record', { usage: usage(), answered: null });
      const [row] = await journal.do('report', ALL);
      expect(row!.lookups, 'nothing of what failed, all of what did not').to.equal(kept + 1);
      await journal[Symbol.asyncDispose]();
    } finally {
      spawnSync('umount', ['-l', folder.path]);
    }
  });

  it('says which file cannot be opened', async () => {
    using folder = temporaryFolder();
    const result = await Journal.openFile(join(folder.path, 'none', '\0')).catch((cause: unknown) => cause);
    expect(result).to.be.instanceOf(AppError);
  });

  it('reads beside what is written: a report waits for nobody, and nobody for a report', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    await journal.do('record', { usage: usage(), answered: null });
    const other = new Database(join(folder.path, 'usage.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    let hasEnded = false;
    const recording = journal.do('record', { usage: usage(), answered: null }).finally(() => {
      hasEnded = true;
    });
    expect((await journal.do('report', ALL))[0]).to.include({ lookups: 1 });
    expect(await journal.do('backlog', null)).to.include({ pending: 1 });
    expect(hasEnded, 'what is written waits').to.equal(false);
    other.exec('ROLLBACK');
    other.close();
    await recording;
    expect((await journal.do('report', ALL))[0]).to.include({ lookups: 2 });
  });

  it('opens a journal of an earlier version, with all that is in it', async () => {
    using folder = temporaryFolder();
    const old = usage();
    writeOldJournal(join(folder.path, 'usage.sqlite'), old);
    const journals = await Promise.all([0, 1].map(() => Journal.open({ dataDir: folder.path })));
    for (const journal of journals) {
      expect((await journal.do('report', ALL))[0], 'as it was').to.include({ lookups: 1, pending: 1 });
    }
    const [journal] = journals;
    expect((await takeAll(journal!)).map(({ id, resends }) => [id, resends])).to.deep.equal([[old.id, 0]]);
    for (const one of journals) await one[Symbol.asyncDispose]();
  });
});

/** Tables as they were before resends were counted. */
function writeOldJournal(file: string, { id, keyId, customer, atMs }: UsageRecord): void {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(`
    CREATE TABLE usage (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key_id TEXT NOT NULL, customer TEXT, at_ms INTEGER NOT NULL,
      state TEXT NOT NULL, sent_ms INTEGER, settled_ms INTEGER, reason TEXT) STRICT;
    CREATE INDEX usage_pending ON usage (customer, seq, at_ms) WHERE state = 'pending';
    CREATE INDEX usage_time ON usage (at_ms);
    CREATE TABLE answer (
      key_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, request_hash TEXT NOT NULL, lookup_id TEXT NOT NULL,
      at_ms INTEGER NOT NULL, code TEXT, json TEXT, PRIMARY KEY (key_id, idempotency_key)) STRICT`);
  db.prepare('INSERT INTO usage (id, key_id, customer, at_ms, state) VALUES (?, ?, ?, ?, ?)').run(
    ...[id, keyId, customer, atMs, 'pending'],
  );
  db.close();
}

/** Transactions in SQLite's log of changes: frames that say how large the database is after them (sqlite.org/fileformat.html, 4.1). */
function commitsIn(wal: Buffer): number {
  const [headerBytes, frameHeaderBytes] = [32, 24];
  if (wal.length < headerBytes) return 0;
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= wal.length; at += frameBytes)
    if (wal.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}
