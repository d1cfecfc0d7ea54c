/** Types for the part of yauzl 3 that is used here; the package has none. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  export interface Entry {
    readonly fileName: string;
    readonly uncompressedSize: number;
    readonly crc32: number;
    getLastModDate(): Date;
  }

  export interface ZipFile {
    /** As the end of the file states it. */
    readonly entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
    close(): void;
  }

  export interface Options {
    readonly autoClose: boolean;
    readonly lazyEntries: true;
    readonly validateEntrySizes: boolean;
  }

  export function openPromise(file: string, options: Options): Promise<ZipFile>;

  /** Reads a zip file from another place than a local file. */
  export abstract class RandomAccessReader {
    /** Returns the bytes from `start` to before `end`. */
    abstract _readStreamForRange(start: number, end: number): Readable;
  }

  export function fromRandomAccessReaderPromise(
    reader: RandomAccessReader,
    bytes: number,
    options: Options,
  ): Promise<ZipFile>;
}
