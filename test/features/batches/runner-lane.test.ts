/** Rows of batches among the lookups of people. */
import { expect } from 'chai';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_LIMITS } from '../../../src/core/keys/key-store.ts';
import { Gate } from '../../../src/core/pool/gate.ts';
import { LostThread } from '../../../src/core/pool/lookup-messages.ts';
import type { LookupAnswer, LookupTask, TimedLookup } from '../../../src/messages/lookup.ts';
import type { Outcome } from '../../../src/messages/outcome.ts';
import { AppError } from '../../../src/messages/problems.ts';
import { untilSucceeds } from '../../support/drivers/patience.ts';

const MESSAGE_MS = 5;
const point = (lat: number): LookupTask => ({ kind: 'point', lat, lon: -79, full: false });
const near: LookupTask = { kind: 'point', lat: 1, lon: -79, full: true, geometry: 'near' };
const answer: LookupAnswer = { json: '{}', geocodeMs: 0, layersMs: MESSAGE_MS };

/** A costly thread that notes what it gets. */
class Subject {
  readonly log: string[] = [];
  /** When messages with rows came. */
  readonly sentMs: number[] = [];
  readonly gate = new Gate({
    snapshots: {
      pool: {
        lookup: async () => {
          this.log.push('near');
          await sleep(MESSAGE_MS);
          return answer;
        },
        status: { threads: 1, costlyThreads: 1, pending: { plain: 0, costly: 0 } },
      },
    },
    ...{ maxPending: 10, maxInFlight: 10, deadlineMs: 120_000 },
  });
  isGone = false;

  rows(keyId: string, count: number, task = point): Promise<PromiseSettledResult<LookupAnswer>[]> {
    const who = { keyId, isGone: () => this.isGone };
    const caller = this.gate.rowsCaller(who, (lookups) => this.#send(lookups));
    const asked = Array.from({ length: count }, (_, lat) => this.gate.lookup(task(lat), caller));
    return Promise.allSettled(asked);
  }

  async #send(lookups: readonly TimedLookup[]): Promise<readonly Outcome<LookupAnswer>[]> {
    this.log.push(`rows ${lookups.length}`);
    this.sentMs.push(performance.now());
    await sleep(MESSAGE_MS);
    if (lookups.some(({ task }) => task.kind === 'point' && task.lat === POISON)) throw new Error('the thread ended');
    return lookups.map(() => ({ ok: true, value: answer }));
  }
}

const POISON = 1e6;

function distances(timesMs: readonly number[]): number[] {
  return timesMs.slice(1).map((ms, i) => ms - timesMs[i]!);
}

describe('Rows of a batch', () => {
  it('go to the thread for costly work in messages of 32, one at a time', async () => {
    const subject = new Subject();
    const ends = await subject.rows('key', 70);
    expect(ends.every(({ status }) => status === 'fulfilled')).to.equal(true);
    expect(subject.log).to.deep.equal(['rows 32', 'rows 32', 'rows 6']);
  });

  it('let a costly lookup of a person wait for one message at most, also one of the same key', async () => {
    for (const keyId of ['other', 'key']) {
      const subject = new Subject();
      const rows = subject.rows('key', 32 * 20);
      await sleep(3 * MESSAGE_MS);
      const before = subject.log.length;
      await subject.gate.lookup(near, { keyId, kind: 'costly', isGone: () => false });
      expect(subject.log.indexOf('near') - before, keyId).to.be.at.most(1);
      await rows;
    }
  });

  it('keep a distance while lookups of people are under way, and go on without one when they are answered', async () => {
    // On a slow machine every timer may be late, so it is tried until some are not.
    await untilSucceeds(0, async () => (await distancesAfterPeople()) < MESSAGE_MS + 8);
  });

  /** @returns the shortest distance of messages when people are answered. Those before are checked. */
  async function distancesAfterPeople(): Promise<number> {
    const subject = new Subject();
    const asking = new AbortController();
    const person = subject.gate.during({ id: 'person', limits: NO_LIMITS }, 'plain', () =>
      once(asking.signal, 'abort'),
    );
    const rows = subject.rows('key', 32 * 20);
    while (subject.sentMs.length < 4) await sleep(1);
    const beside = distances(subject.sentMs);
    asking.abort();
    await person;
    const before = subject.sentMs.length;
    await rows;
    // Each waits for the end of the one before and 10 ms more; a timer may be early by one.
    for (const distance of beside) expect(distance).to.be.at.least(MESSAGE_MS + 10 - 2);
    return Math.min(...distances(subject.sentMs.slice(before)));
  }

  it('count for no limit of load, and are refused for none', async () => {
    const subject = new Subject();
    const rows = subject.rows('key', 32 * 40);
    await sleep(MESSAGE_MS);
    for (const kind of ['plain', 'costly'] as const) {
      expect(subject.gate.waiting(kind), kind).to.equal(0);
      expect(subject.gate.refusalOf({ id: 'key', limits: NO_LIMITS }, kind), kind).to.equal(null);
    }
    expect((await rows).every(({ status }) => status === 'fulfilled')).to.equal(true);
  });

  it('that take long, such as areas, go alone', async () => {
    const subject = new Subject();
    await subject.rows('key', 3, () => ({ kind: 'area', polygons: [], isClosed: true }));
    expect(subject.log).to.deep.equal(['rows 1', 'rows 1', 'rows 1']);
  });

  it('that end their thread fail alone', async () => {
    const subject = new Subject();
    const ends = await subject.rows('key', 5, (lat) => point(lat === 2 ? POISON : lat));
    expect(ends.map(({ status }) => status)).to.deep.equal([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    ]);
    expect((ends[2] as PromiseRejectedResult).reason).to.be.instanceOf(LostThread);
  });

  it('that nobody waits for any more do not go to the thread', async () => {
    const subject = new Subject();
    const rows = subject.rows('key', 32 * 20);
    await sleep(MESSAGE_MS);
    subject.isGone = true;
    const ends = await rows;
    expect(subject.log.length).to.be.lessThan(5);
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    expect(reasons.length).to.be.above(32 * 10);
    for (const reason of reasons) expect(reason).to.be.instanceOf(AppError);
  });
});
