import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { HungThread } from '../../src/core/pool/hung-threads.ts';
import { LookupMessages, LOOKUPS_PER_MESSAGE } from '../../src/core/pool/lookup-messages.ts';
import type { LookupAnswer, LookupTask, TimedLookup } from '../../src/messages/lookup.ts';
import { fail, type Outcome } from '../../src/messages/outcome.ts';

const point = (lat: number): TimedLookup => ({
  task: { kind: 'point', lat, lon: -79, full: false },
  deadline: BigInt(lat),
});
const answerOf = (task: LookupTask): LookupAnswer => ({
  ...{ json: JSON.stringify(task), geocodeMs: 0, layersMs: 0 },
});
const latOf = ({ task }: TimedLookup): number => (task.kind === 'point' ? task.lat : NaN);

type Outcomes = readonly Outcome<LookupAnswer>[];
type Send = (lookups: readonly TimedLookup[]) => Promise<Outcomes>;

describe('Messages to lookup threads', () => {
  /** Threads that note what they get; `send` is what a test has them do. */
  function threadsWith(send: Send, threads = 1): { messages: number[][]; all: LookupMessages } {
    const messages: number[][] = [];
    const all = new LookupMessages(threads, (lookups) => {
      messages.push(lookups.map(latOf));
      return send(lookups);
    });
    return { messages, all };
  }
  const found: Send = (lookups) => Promise.resolve(lookups.map(({ task }) => ({ ok: true, value: answerOf(task) })));

  it('hold what is asked for together, but not too much', async () => {
    const { messages, all } = threadsWith(found);
    const lats = Array.from({ length: LOOKUPS_PER_MESSAGE + 2 }, (_, lat) => lat);
    const outcomes = await Promise.all(lats.map((lat) => all.ask(point(lat), false)));
    const json = outcomes.map((outcome) => outcome.ok && outcome.value.json);
    expect(json).to.deep.equal(lats.map((lat) => JSON.stringify(point(lat).task)));
    expect(messages).to.deep.equal([lats.slice(0, LOOKUPS_PER_MESSAGE), lats.slice(LOOKUPS_PER_MESSAGE)]);
    await all.ask(point(50), false);
    expect(messages.at(-1), 'asked for later').to.deep.equal([50]);
  });

  it('are shared among the threads that are idle', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { messages, all } = threadsWith(async (lookups) => {
      if (lookups.length === 1) await released;
      return found(lookups);
    }, 3);
    const busy = all.ask(point(9), false);
    await delay(5);
    await Promise.all([0, 1, 2, 3].map((lat) => all.ask(point(lat), false)));
    expect(messages).to.deep.equal([[9], [0, 1], [2, 3]]);
    release();
    await busy;
  });

  it('hold a lookup that takes long alone', async () => {
    const { messages, all } = threadsWith(found);
    await Promise.all([1, 2, 3].map((lat) => all.ask(point(lat), lat === 2)));
    expect(messages).to.deep.equal([[2], [1, 3]]);
  });

  it('carry failures, each with what it adds', async () => {
    const failure = fail('ADDRESS_NOT_FOUND', 'no', { reason: 'X' });
    const { all } = threadsWith(async (lookups) => {
      const outcomes = await found(lookups);
      return outcomes.map((outcome, i) => (latOf(lookups[i]!) === 1 ? failure : outcome));
    });
    const [first, second] = await Promise.all([all.ask(point(1), false), all.ask(point(2), false)]);
    expect(first).to.deep.equal(failure);
    expect(second.ok).to.equal(true);
  });

  it('are sent again one by one when their thread is lost, so that only the lookup at fault fails', async () => {
    const { messages, all } = threadsWith((lookups) =>
      lookups.some((one) => latOf(one) === 3) ? Promise.reject(new Error('the thread ended')) : found(lookups),
    );
    const ends = await Promise.allSettled([1, 2, 3, 4].map((lat) => all.ask(point(lat), false)));
    expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(messages).to.deep.equal([[1, 2, 3, 4], [1], [2], [3], [4]]);
  });

  it('do not ask again for the lookup that hung, but for the others of its message', async () => {
    const { messages, all } = threadsWith((lookups) =>
      lookups.length > 1 ? Promise.reject(new HungThread(2)) : found(lookups),
    );
    const ends = await Promise.allSettled([1, 2, 3, 4].map((lat) => all.ask(point(lat), false)));
    expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect((ends[2] as PromiseRejectedResult).reason).to.be.instanceOf(HungThread);
    expect(messages).to.deep.equal([[1, 2, 3, 4], [1], [2], [4]]);
  });
});
