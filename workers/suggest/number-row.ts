import { ByteReader, ByteWriter } from '../geopackage/bytes.ts';
import type { Range } from './name-list.ts';

/** Positions per entry of the skip table, so that a short range is read from the middle of a long row. */
const GROUP = 128;

const SKIP_BYTES = 8;

/** Collects the positions of one civic number, in ascending order. */
export class NumberRowWriter {
  readonly #differences = new ByteWriter();
  readonly #skips = new ByteWriter();
  #count = 0;
  #last = 0;

  add(position: number): void {
    if (this.#count++ % GROUP === 0) {
      this.#skips.u32(position);
      this.#skips.u32(this.#differences.length);
      this.#last = position;
    } else {
      this.#differences.varint(position - this.#last);
      this.#last = position;
    }
  }

  take(): Buffer {
    const row = new ByteWriter();
    row.u32(this.#count);
    row.bytes(this.#skips.take());
    row.bytes(this.#differences.take());
    return row.take();
  }
}

/** The streets that have a civic number: ascending positions in the list of names. */
export class NumberRow {
  readonly #row: Buffer;
  readonly count: number;
  readonly #groups: number;

  constructor(row: Buffer) {
    this.#row = row;
    this.count = row.length === 0 ? 0 : row.readUInt32LE(0);
    this.#groups = Math.ceil(this.count / GROUP);
  }

  /** Calls `visit` with each position within a range. */
  visit({ from, to }: Range, visit: (position: number) => void): void {
    const differencesAt = 4 + this.#groups * SKIP_BYTES;
    for (let group = this.#lastGroupBefore(from); group < this.#groups; group++) {
      let position = this.#firstOf(group);
      if (position >= to) return;
      const reader = new ByteReader(this.#row, differencesAt + this.#row.readUInt32LE(4 + group * SKIP_BYTES + 4));
      for (let left = Math.min(GROUP, this.count - group * GROUP); ;) {
        if (position >= to) return;
        if (position >= from) visit(position);
        if (--left === 0) break;
        position += reader.varint();
      }
    }
  }

  has(position: number): boolean {
    let found = false;
    this.visit({ from: position, to: position + 1 }, () => (found = true));
    return found;
  }

  #firstOf(group: number): number {
    return this.#row.readUInt32LE(4 + group * SKIP_BYTES);
  }

  /** The group in which a position is, if it is there. */
  #lastGroupBefore(position: number): number {
    let [low, high] = [0, this.#groups - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firstOf(middle) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
