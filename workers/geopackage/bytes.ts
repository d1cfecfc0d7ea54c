const MAX_INT32 = 0x7fffffff;

/** Of whole numbers up to 2^53. */
const MOST_VARINT_BYTES = 8;

/** Appends little-endian numbers and short strings to a growing buffer. */
export class ByteWriter {
  // Small: an import holds one writer for each of 150,000 street names.
  #bytes = Buffer.allocUnsafe(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    this.#length = this.#room(1).writeUInt8(value, this.#length);
  }

  u16(value: number): void {
    this.#length = this.#room(2).writeUInt16LE(value, this.#length);
  }

  u32(value: number): void {
    this.#length = this.#room(4).writeUInt32LE(value, this.#length);
  }

  i32(value: number): void {
    this.#length = this.#room(4).writeInt32LE(value, this.#length);
  }

  /** A whole number from 0 in seven bits a byte, the lowest first. */
  varint(value: number): void {
    if (value < 0) throw new RangeError(`a varint cannot hold ${value}`);
    const bytes = this.#room(MOST_VARINT_BYTES);
    let at = this.#length;
    let rest = value;
    for (; rest > MAX_INT32; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) + 0x80;
    for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
    this.#length = at;
  }

  /** A whole number of either sign as a varint: 0, -1, 1, -2, … become 0, 1, 2, 3, … */
  zigzag(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Appends UTF-8 text after its length; at most 255 bytes. */
  text(value: string): void {
    const bytes = Buffer.from(value);
    this.u8(bytes.length);
    this.bytes(bytes);
  }

  bytes(value: Buffer): void {
    value.copy(this.#room(value.length), this.#length);
    this.#length += value.length;
  }

  /** Returns the bytes written so far and starts again. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #room(count: number): Buffer {
    if (this.#length + count > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

/** Reads what a `ByteWriter` wrote. */
export class ByteReader {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  u8(): number {
    return this.bytes.readUInt8((this.at += 1) - 1);
  }

  u16(): number {
    return this.bytes.readUInt16LE((this.at += 2) - 2);
  }

  u32(): number {
    return this.bytes.readUInt32LE((this.at += 4) - 4);
  }

  /** Reads up to 35 bits. The first four bytes, which are almost always enough, use integer arithmetic. */
  varint(): number {
    const bytes = this.bytes;
    let byte = bytes[this.at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = bytes[this.at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return value + bytes[this.at++]! * 2 ** 28;
  }

  zigzag(): number {
    const value = this.varint();
    return value <= MAX_INT32 ? (value >>> 1) ^ -(value & 1) : value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Reads so many signed numbers into the beginning of `into`. A lookup reads thousands, so the loop calls nothing for those of up to four bytes. */
  zigzags(into: Float64Array, count: number): void {
    const bytes = this.bytes;
    let at = this.at;
    for (let i = 0; i < count; i++) {
      const from = at;
      let byte = bytes[at++]!;
      let value = byte & 0x7f;
      // Most have two bytes.
      if (byte >= 0x80) {
        byte = bytes[at++]!;
        value |= (byte & 0x7f) << 7;
      }
      for (let shift = 14; byte >= 0x80 && shift < 28; shift += 7) {
        byte = bytes[at++]!;
        value |= (byte & 0x7f) << shift;
      }
      if (byte < 0x80) into[i] = (value >>> 1) ^ -(value & 1);
      else {
        this.at = from;
        into[i] = this.zigzag();
        at = this.at;
      }
    }
    this.at = at;
  }

  /** Passes over so many varints. */
  skipVarints(count: number): void {
    const bytes = this.bytes;
    let at = this.at;
    for (let left = count; left > 0 && at < bytes.length;) if (bytes[at++]! < 0x80) left--;
    this.at = at;
  }

  text(length = this.u8()): string {
    if (length === 0) return '';
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  texts(count: number): string[] {
    const texts: string[] = [];
    for (let i = 0; i < count; i++) texts.push(this.text());
    return texts;
  }
}
