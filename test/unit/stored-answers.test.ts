import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { AnswerTable, KeptBytes } from '../../workers/journal/answer-table.ts';
import { openJournal } from '../../workers/journal/open.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const BOUNDS = { keyBytes: 40_000, allBytes: 100_000 };
const CLOCK = { isTrusted: true, timeOf: (wallMs = NOW_MS) => wallMs };
const NOW_MS = 1_000_000_000_000;

describe('stored answers', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let db: Database.Database;
  let answers: AnswerTable;
  beforeEach(() => {
    folder = temporaryFolder();
    db = openJournal(join(folder.path, 'usage.sqlite'));
    answers = new AnswerTable(db, CLOCK, new KeptBytes(db, BOUNDS));
  });
  afterEach(() => {
    db.close();
    folder[Symbol.dispose]();
  });

  /** Stores an answer whose text does not compress below `bytes`. */
  function store(keyId: string, idempotencyKey: string, { bytes = 1000, atMs = NOW_MS } = {}): void {
    const json = JSON.stringify(randomBytes(bytes).toString('base64'));
    answers.store({ ...requestOf(keyId, idempotencyKey), lookupId: 'lkp', atMs, answer: { json, code: null } });
  }

  function find(keyId: string, idempotencyKey: string) {
    const options = { lookupId: 'lkp_2', mayBegin: false, nowMs: NOW_MS, attemptMs: 1000 };
    return answers.claim({ ...requestOf(keyId, idempotencyKey), attemptId: 'lkp_2', ...options });
  }

  const keptBytes = (keyId: string): number =>
    db.prepare<[string], number>('SELECT bytes FROM answer_bytes WHERE key_id = ?').pluck().get(keyId) ?? 0;
  const summedBytes = (): number => db.prepare<[], number>('SELECT sum(length(body)) FROM answer').pluck().get() ?? 0;

  it('are compressed, and come back as they were', () => {
    const json = JSON.stringify({ layers: 'outside '.repeat(1000) });
    answers.store({ ...requestOf('a', 'k'), lookupId: 'lkp', atMs: NOW_MS, answer: { json, code: null } });
    expect(find('a', 'k')).to.deep.equal({ kind: 'answered', answer: { json, code: null, vintage: null } });
    expect(keptBytes('a')).to.be.within(1, json.length / 20);
    expect(keptBytes('a')).to.equal(summedBytes());
  });

  it('of one key have a bound: the oldest are given up, and stay known as answered', () => {
    for (let i = 0; i < 200; i++) store('a', `k${i}`, { atMs: NOW_MS + i });
    expect(keptBytes('a')).to.be.within(BOUNDS.keyBytes / 3, BOUNDS.keyBytes);
    expect([summedBytes(), keptBytes('')]).to.deep.equal([keptBytes('a'), keptBytes('a')]);
    expect(find('a', 'k0')).to.deep.equal({ kind: 'answered', answer: null });
    expect(find('a', 'k199')).to.have.nested.property('answer.json').that.is.a('string');
  });

  it('that are refusals may be asked for anew once they are given up: what is found then is billed', () => {
    const request = requestOf('a', 'refused');
    const answer = { json: '{}', code: 'ADDRESS_NOT_FOUND' } as const;
    answers.store({ ...request, lookupId: 'lkp_1', atMs: NOW_MS - 1, answer });
    for (let i = 0; i < 200; i++) store('a', `k${i}`);
    const options = { lookupId: 'lkp_2', nowMs: NOW_MS, attemptMs: 1000 };
    const claim = (mayBegin: boolean) => answers.claim({ ...request, attemptId: 'lkp_2', ...options, mayBegin });
    expect(claim(false)).to.deep.equal({ kind: 'not begun' });
    expect(claim(true)).to.deep.equal({ kind: 'resumed', lookupId: 'lkp_1' });
    expect(claim(true)).to.deep.equal({ kind: 'under way' });
  });

  it('of all keys have a bound: the key with most gives up first', () => {
    store('small', 'k', { atMs: NOW_MS - 1 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) for (let i = 0; i < 60; i++) store(key, `k${i}`, { atMs: NOW_MS + i });
    expect(keptBytes('')).to.be.within(BOUNDS.allBytes / 3, BOUNDS.allBytes);
    expect(keptBytes('')).to.equal(summedBytes());
    expect(find('small', 'k')).to.have.nested.property('answer.json').that.is.a('string');
  });

  it('are deleted in small steps when they are too old, and their bytes are free again', () => {
    const fill = db.transaction(() => {
      for (let i = 0; i < 1200; i++) store('a', `old${i}`, { bytes: 10, atMs: NOW_MS - 1 });
    });
    fill();
    store('a', 'new');
    const steps = [];
    for (let deleted = -1; deleted !== 0; steps.push(deleted)) deleted = answers.prune(NOW_MS);
    expect(steps).to.deep.equal([500, 500, 200, 0]);
    expect(keptBytes('a')).to.equal(summedBytes());
    expect(find('a', 'old0')).to.deep.equal({ kind: 'not begun' });
    expect(find('a', 'new')).to.have.property('kind', 'answered');
  });

  it('of an earlier version count as lost attempts: looked up again under their id', () => {
    db.close();
    const file = join(folder.path, 'usage.sqlite');
    db = openJournal(file);
    db.exec(`DROP TABLE answer; CREATE TABLE answer (key_id TEXT NOT NULL, idempotency_key TEXT NOT NULL,
      request_hash TEXT NOT NULL, lookup_id TEXT NOT NULL, at_ms INTEGER NOT NULL, code TEXT, json TEXT,
      PRIMARY KEY (key_id, idempotency_key)) STRICT;
      INSERT INTO answer VALUES ('a', 'k', 'hash', 'lkp_1', ${NOW_MS - 5000}, NULL, '{}')`);
    db.close();
    db = openJournal(file);
    answers = new AnswerTable(db, CLOCK);
    expect(find('a', 'k')).to.deep.equal({ kind: 'resumed', lookupId: 'lkp_1' });
  });
});

function requestOf(keyId: string, idempotencyKey: string) {
  return { keyId, idempotencyKey, requestHash: 'hash' };
}
