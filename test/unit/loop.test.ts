/** Work in the background: when it is done, and what becomes of failures. The clock is the test's, so nothing here waits. */
import { expect } from 'chai';
import { type LoopOptions, type Turn, backoffMs, spreadMs, Loop, oncePerMinute } from '../../src/core/loop/loop.ts';
import { pass, settle, withOwnTimers } from '../support/drivers/passing-time.ts';

const EVERY_MS = 1000;

/** A loop whose turns and failures are counted. */
class Watched implements AsyncDisposable {
  turns = 0;
  readonly failures: unknown[] = [];
  readonly loop: Loop;

  constructor(turn: Turn, options: Partial<LoopOptions> = {}) {
    this.loop = new Loop({
      everyMs: EVERY_MS,
      turn: (stop) => {
        this.turns++;
        return turn(stop);
      },
      onFailure: (cause) => this.failures.push(cause),
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.loop[Symbol.asyncDispose]();
  }
}

/** A turn that lasts until its end is called. */
function heldTurn(): { readonly ended: Promise<void>; readonly end: () => void } {
  let end = nothing;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

const nothing = (): void => undefined;

function failing(): never {
  throw new Error('not now');
}

describe('Loop', () => {
  withOwnTimers();

  it('does a turn at once, and then one after each pause', async () => {
    await using watched = new Watched(nothing);
    expect(watched.turns, 'its owner is made first').to.equal(0);
    await settle();
    expect(watched.turns).to.equal(1);
    await pass(EVERY_MS - 1);
    expect(watched.turns).to.equal(1);
    await pass(1);
    expect(watched.turns).to.equal(2);
  });

  it('waits before the first turn when it should', async () => {
    await using watched = new Watched(nothing, { firstMs: 500 });
    await pass(499);
    expect(watched.turns).to.equal(0);
    await pass(1);
    expect(watched.turns).to.equal(1);
  });

  it('pauses as a turn asks, and not at all when there is more work', async () => {
    const pauses = [0, 0, 20];
    await using watched = new Watched(() => pauses.shift());
    await settle();
    expect(watched.turns).to.equal(3);
    await pass(20);
    expect(watched.turns).to.equal(4);
  });

  it('never has two turns under way', async () => {
    const turn = heldTurn();
    await using watched = new Watched(() => turn.ended);
    await pass(10 * EVERY_MS);
    expect(watched.turns).to.equal(1);
    turn.end();
    await pass(EVERY_MS);
    expect(watched.turns).to.equal(2);
  });

  it('is woken from a pause, and remembers what wakes it during a turn', async () => {
    const first = heldTurn();
    await using watched = new Watched(() => first.ended);
    await settle();
    watched.loop.wake();
    watched.loop.wake();
    await settle();
    expect(watched.turns).to.equal(1);
    first.end();
    await settle();
    expect(watched.turns, 'once for both').to.equal(2);
    watched.loop.wake();
    await settle();
    expect(watched.turns).to.equal(3);
  });

  it('pauses longer after each failure, whoever wakes it, and as ever after a turn that went well', async () => {
    let isFailing = true;
    await using watched = new Watched(() => (isFailing ? failing() : undefined), {
      backoff: { firstMs: 2000, mostMs: 8000 },
    });
    for (const [waitMs, turns] of [
      [2000, 1],
      [4000, 2],
      [8000, 3],
      [8000, 4],
    ] as const) {
      await settle();
      watched.loop.wake();
      await pass(0.74 * waitMs);
      expect(watched.turns, `before ${waitMs}`).to.equal(turns);
      await pass(0.52 * waitMs);
      expect(watched.turns, `after ${waitMs}`).to.equal(turns + 1);
    }
    isFailing = false;
    await pass(10_000);
    expect(watched.turns).to.equal(6);
    await pass(EVERY_MS);
    expect(watched.turns).to.equal(7);
  });

  it('tells of the first of many failures', async () => {
    await using watched = new Watched(failing);
    await pass(EVERY_MS);
    await pass(EVERY_MS);
    expect(watched.turns).to.equal(3);
    expect(watched.failures.map(String)).to.deep.equal(['Error: not now']);
  });

  it('does nothing while the clock cannot be trusted, and looks again within a minute', async () => {
    let isTrusted = false;
    await using watched = new Watched(nothing, { everyMs: 3_600_000, isClockTrusted: () => isTrusted });
    await pass(59_999);
    isTrusted = true;
    expect([watched.turns, watched.failures.length]).to.deep.equal([0, 0]);
    await pass(1);
    expect(watched.turns).to.equal(1);
  });

  it('waits for the turn under way when it is disposed, tells it, and does no other', async () => {
    const ends: string[] = [];
    const turn = heldTurn();
    const watched = new Watched(async (stop) => {
      await turn.ended;
      ends.push(stop.aborted ? 'stopped' : 'on');
    });
    await settle();
    const disposed = watched[Symbol.asyncDispose]().then(() => ends.push('disposed'));
    await settle();
    expect(ends).to.deep.equal([]);
    turn.end();
    await disposed;
    await pass(EVERY_MS);
    expect([watched.turns, ...ends]).to.deep.equal([1, 'stopped', 'disposed']);
  });

  it('does a last turn at its end when it should, and never fails there', async () => {
    const watched = new Watched(failing, { firstMs: EVERY_MS });
    await watched.loop.finish();
    expect([watched.turns, watched.failures.length]).to.deep.equal([1, 1]);
  });
});

describe('waits after failures', () => {
  const ten = (make: () => number): number[] => Array.from({ length: 10 }, make);

  it('double up to the longest, and differ by a quarter at most', () => {
    const backoff = { firstMs: 100, mostMs: 1000 };
    for (const [failures, planMs] of [
      [1, 100],
      [2, 200],
      [4, 800],
      [5, 1000],
      [2000, 1000],
    ] as const) {
      for (const waitMs of ten(() => backoffMs(backoff, failures)))
        expect(waitMs).to.be.within(0.75 * planMs, 1.25 * planMs);
    }
  });

  it('grow as they are told to', () => {
    const retry = { firstMs: 250, mostMs: 15_000, growth: 4 };
    for (const [failures, planMs] of [
      [1, 250],
      [2, 1000],
      [3, 4000],
      [4, 15_000],
    ] as const)
      expect(backoffMs(retry, failures)).to.be.within(0.75 * planMs, 1.25 * planMs);
  });

  it('are spread, so that many do not try again together', () => {
    expect(new Set(ten(() => spreadMs(1000, 0.1))).size).to.be.above(1);
    for (const waitMs of ten(() => spreadMs(1000, 0.1))) expect(waitMs).to.be.within(900, 1100);
  });
});

describe('oncePerMinute', () => {
  it('reports the first of many faults, and another one after a minute', () => {
    let nowMs = 0;
    const told: string[] = [];
    const report = oncePerMinute(
      (what: string) => told.push(what),
      () => nowMs,
    );
    for (nowMs of [0, 59_999, 60_000, 119_999]) report(`at ${nowMs}`);
    expect(told).to.deep.equal(['at 0', 'at 60000']);
  });
});
