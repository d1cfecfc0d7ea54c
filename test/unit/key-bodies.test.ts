import { expect } from 'chai';
import fc from '../support/drivers/fast-check.ts';
import { KeyBodies } from '../../src/core/http/key-bodies.ts';
import { AppError } from '../../src/messages/problems.ts';

const BOUNDS = { mostBytes: 1000, mostBytesOfKey: 400 };

/** Bodies that are read until somebody ends them. */
class Reading {
  readonly bodies = new KeyBodies(BOUNDS);
  readonly #held: { readonly key: string; readonly bytes: number }[] = [];

  /** Begins to read a body. @returns the code of the refusal; null when it is read. */
  begin(key: string, ...bytes: number[]): string | null {
    let held = 0;
    try {
      for (const more of bytes) {
        this.bodies.hold(key, more);
        held += more;
      }
    } catch (cause) {
      this.bodies.release(key, held);
      return AppError.from(cause).code;
    }
    this.#held.push({ key, bytes: held });
    return null;
  }

  endOne(): void {
    const one = this.#held.shift();
    if (one) this.bodies.release(one.key, one.bytes);
  }

  get count(): number {
    return this.#held.length;
  }
}

describe('Bodies under way', () => {
  it('are refused of a key that has too many bytes, also when they come bit by bit, and not of another', () => {
    const reading = new Reading();
    expect(reading.begin('a', 300)).to.equal(null);
    expect(reading.begin('a', 101)).to.equal('RATE_LIMITED');
    expect(reading.begin('a', 60, 60)).to.equal('RATE_LIMITED');
    expect(reading.begin('a', 100)).to.equal(null);
    expect(reading.begin('b', 400)).to.equal(null);
    expect(reading.bodies.bytes).to.equal(800);
    reading.endOne();
    expect(reading.begin('a', 300)).to.equal(null);
  });

  it('are refused in all only of keys that have their share', () => {
    const reading = new Reading();
    for (const key of ['a', 'b']) expect(reading.begin(key, 400)).to.equal(null);
    expect(reading.begin('c', 200)).to.equal(null);
    expect(reading.begin('c', 200)).to.equal('DB_ERROR');
    expect(reading.begin('d', 40)).to.equal(null);
  });

  it('never hold more than twice the bound, nor more than a key may, and hold nothing when all have ended', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    const step = fc.oneof({ weight: 3, arbitrary: fc.tuple(key, fc.integer({ min: 0, max: 250 })) }, fc.constant(null));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const reading = new Reading();
        for (const one of steps) {
          if (one === null) reading.endOne();
          else reading.begin(...one);
          expect(reading.bodies.bytes).to.be.at.most(2 * BOUNDS.mostBytes);
        }
        while (reading.count > 0) reading.endOne();
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
