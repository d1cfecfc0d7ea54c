import { expect } from 'chai';
import fc from '../support/drivers/fast-check.ts';
import { KeyBodies } from '../../src/http/key-bodies.ts';
import { AppError } from '../../src/shared/problems.ts';

const BOUNDS = { mostBytes: 1000, mostBytesOfKey: 400 };

/** Bodies that are read until somebody ends them. */
class Reading {
  readonly bodies = new KeyBodies(BOUNDS);
  readonly #ends: (() => Promise<void>)[] = [];

  /** Begins to read a body. @returns the code of the refusal; null when it is read. */
  async begin(key: string, ...bytes: number[]): Promise<string | null> {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const work = this.bodies.during(key, (willHold) => {
      bytes.forEach(willHold);
      return ended;
    });
    const refusal = await Promise.race([
      work.then(
        () => null,
        (cause: unknown) => AppError.from(cause).code,
      ),
      Promise.resolve().then(() => Promise.resolve(null)),
    ]);
    if (refusal === null) {
      this.#ends.push(async () => {
        end();
        await work;
      });
    }
    return refusal;
  }

  async endOne(): Promise<void> {
    await this.#ends.shift()?.();
  }

  get count(): number {
    return this.#ends.length;
  }
}

describe('Bodies under way', () => {
  it('are refused of a key that has too many bytes, also when they come bit by bit, and not of another', async () => {
    const reading = new Reading();
    expect(await reading.begin('a', 300)).to.equal(null);
    expect(await reading.begin('a', 101)).to.equal('RATE_LIMITED');
    expect(await reading.begin('a', 60, 60)).to.equal('RATE_LIMITED');
    expect(await reading.begin('a', 100)).to.equal(null);
    expect(await reading.begin('b', 400)).to.equal(null);
    expect(reading.bodies.bytes).to.equal(800);
    await reading.endOne();
    expect(await reading.begin('a', 300)).to.equal(null);
  });

  it('are refused in all only of keys that have their share', async () => {
    const reading = new Reading();
    for (const key of ['a', 'b']) expect(await reading.begin(key, 400)).to.equal(null);
    expect(await reading.begin('c', 200)).to.equal(null);
    expect(await reading.begin('c', 200)).to.equal('DB_ERROR');
    expect(await reading.begin('d', 40)).to.equal(null);
  });

  it('never hold more than twice the bound, nor more than a key may, and hold nothing when all have ended', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    const step = fc.oneof({ weight: 3, arbitrary: fc.tuple(key, fc.integer({ min: 0, max: 250 })) }, fc.constant(null));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const reading = new Reading();
        for (const one of steps) {
          if (one === null) await reading.endOne();
          else await reading.begin(...one);
          expect(reading.bodies.bytes).to.be.at.most(2 * BOUNDS.mostBytes);
        }
        while (reading.count > 0) await reading.endOne();
        expect(reading.bodies.bytes).to.equal(0);
      }),
      { seed: 20_261_126, numRuns: 100 },
    );
  });

  it('are parsed one after the other when they are large, and others come in between', async () => {
    const bodies = new KeyBodies();
    const order: string[] = [];
    let atOnce = 0;
    const parse = (name: string) => async (): Promise<void> => {
      expect(++atOnce).to.equal(1);
      await Promise.resolve();
      order.push(name);
      atOnce--;
    };
    const all = ['a', 'b', 'c'].map((name) => bodies.inTurn(parse(name)));
    const other = (): void => {
      order.push('other');
      if (order.length < 6) setImmediate(other);
    };
    setImmediate(other);
    const failed = bodies.inTurn(() => Promise.reject(new Error('no JSON')));
    await Promise.all(all);
    expect(await failed.catch((cause: unknown) => String(cause))).to.equal('Error: no JSON');
    expect(order.join(' ')).to.match(/a other .*b other .*c/);
  });
});
