import { newInts } from '../../geometry/numbers.ts';

/** The intervals that lie in each of some strips of equal width: finds those around a number without a look at the others. */
export class Strips {
  readonly #least: number;
  readonly #width: number;
  /** Where the intervals of each strip begin. */
  readonly #starts: Int32Array;
  readonly #intervals: Int32Array;

  /** Both ends of each interval, in any order. */
  constructor(from: Float64Array, to: Float64Array) {
    const count = Math.min(MOST_STRIPS, from.length);
    this.#least = from.reduce((a, b) => Math.min(a, b), Infinity);
    const most = from.reduce((a, b) => Math.max(a, b), -Infinity);
    this.#width = (most - this.#least + 1) / count;
    const each = (visit: (interval: number, strip: number) => void): void => {
      for (let i = 0; i < from.length; i++) {
        const last = this.#stripOf(Math.max(from[i]!, to[i]!));
        for (let strip = this.#stripOf(Math.min(from[i]!, to[i]!)); strip <= last; strip++) visit(i, strip);
      }
    };
    this.#starts = newInts(count + 1);
    each((_, strip) => this.#starts[strip + 1]!++);
    for (let strip = 0; strip < count; strip++) this.#starts[strip + 1]! += this.#starts[strip]!;
    this.#intervals = newInts(this.#starts[count]!);
    const next = newInts(count + 1);
    next.set(this.#starts);
    each((interval, strip) => (this.#intervals[next[strip]!++] = interval));
  }

  /** Returns the numbers of all intervals around a place between the outermost ends, and of others. */
  around(place: number): Int32Array {
    const strip = this.#stripOf(place);
    return this.#intervals.subarray(this.#starts[strip], this.#starts[strip + 1]);
  }

  #stripOf(place: number): number {
    return Math.floor((place - this.#least) / this.#width);
  }
}

const MOST_STRIPS = 256;
