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
  at = 0;
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  u8(): number {
    return this.bytes.readUInt8(this.#step(1));
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.#step(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.#step(4));
  }

  text(): string {
    const length = this.u8();
    if (length === 0) return '';
    const from = this.#step(length);
    return this.bytes.toString('utf8', from, from + length);
  }

  texts(count: number): string[] {
    const texts: string[] = [];
    for (let i = 0; i < count; i++) texts.push(this.text());
    return texts;
  }

  #step(count: number): number {
    const from = this.at;
    this.at += count;
    return from;
  }
}
