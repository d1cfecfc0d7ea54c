import { open } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isTemporary } from '../outbound/client.ts';
import { openBucket, type BucketTimes } from '../outbound/bucket.ts';
import { TooLarge, Transient } from '../outbound/failures.ts';
import type { BucketConfig } from '../settings/setting-groups.ts';
import { isSnapshotId } from '../shared/snapshots.ts';
import { NotThere, snapshotFiles, type PlacePath, type WritablePlace } from './place.ts';

/** Of an upload in parts, of which a store takes 10,000: enough for 640 GB. */
const PART_BYTES = 64 * 1024 ** 2;

/** A bucket of Amazon S3, or of another store with its interface. Import this file only where it is used: its library takes a while to load. */
export class BucketPlace implements WritablePlace {
  readonly name: string;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(bucket: BucketConfig, times: BucketTimes) {
    this.name = `s3://${bucket.name}${bucket.prefix === '' ? '' : `/${bucket.prefix}`}`;
    this.#client = openBucket(bucket, times);
    this.#bucket = bucket.name;
    this.#prefix = bucket.prefix === '' ? '' : `${bucket.prefix}/`;
  }

  async readText(path: PlacePath, mostBytes: number): Promise<string> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of this.#read(path, {})) {
      if ((bytes += piece.length) > mostBytes) throw new TooLarge(`${path} is longer than ${mostBytes} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  readPart(path: PlacePath, from: number, to: number): AsyncIterable<Uint8Array> {
    return this.#read(path, { Range: `bytes=${from}-${to - 1}` });
  }

  async writeText(path: PlacePath, text: string): Promise<void> {
    const Body = Buffer.from(text);
    const put = new PutObjectCommand({ ...this.#at(path), Body, ContentLength: Body.length });
    await this.#ask(`write ${path}`, () => this.#client.send(put));
  }

  async writeFile(path: PlacePath, file: string, onBytes: (bytes: number) => void): Promise<void> {
    const at = this.#at(path);
    const { UploadId } = await this.#ask(`write ${path}`, () =>
      this.#client.send(new CreateMultipartUploadCommand(at)),
    );
    const upload = { ...at, UploadId };
    try {
      const Parts = await this.#sendParts(upload, file, onBytes);
      const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      await this.#ask(`write ${path}`, () => this.#client.send(complete));
    } catch (cause) {
      // Parts of an upload that nobody ends would be paid for.
      await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw cause;
    }
  }

  async list(): Promise<readonly string[]> {
    const page = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, Delimiter: '/' });
    const { CommonPrefixes = [] } = await this.#ask('list its snapshots', () => this.#client.send(page));
    return CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(this.#prefix.length, -1)).filter(isSnapshotId);
  }

  async remove(id: string): Promise<void> {
    // The manifest first: a snapshot without one is not whole.
    for (const file of snapshotFiles.toReversed()) {
      const command = new DeleteObjectCommand(this.#at(`${id}/${file}`));
      await this.#ask(`delete ${id}`, () => this.#client.send(command));
    }
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }

  async #sendParts(
    upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
    file: string,
    onBytes: (bytes: number) => void,
  ) {
    const source = await open(file, 'r');
    try {
      const { size } = await source.stat();
      const parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
      for (let at = 0; at < size; at += PART_BYTES) {
        const Body = Buffer.allocUnsafe(Math.min(PART_BYTES, size - at));
        const { bytesRead } = await source.read(Body, 0, Body.length, at);
        if (bytesRead < Body.length) throw new Error(`${file} became shorter`);
        const PartNumber = parts.length + 1;
        const command = new UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: Body.length });
        const { ETag } = await this.#ask('write land.gpkg', () => this.#client.send(command));
        parts.push({ PartNumber, ETag });
        onBytes(at + Body.length);
      }
      return parts;
    } finally {
      await source.close();
    }
  }

  async *#read(path: PlacePath, range: { readonly Range?: string }): AsyncGenerator<Uint8Array> {
    const command = new GetObjectCommand({ ...this.#at(path), ...range });
    const { Body } = await this.#ask(`read ${path}`, () => this.#client.send(command));
    try {
      yield* Body as unknown as AsyncIterable<Uint8Array>;
    } catch (cause) {
      throw new Transient('the answer broke off', { cause });
    }
  }

  #at(path: PlacePath): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + path };
  }

  /** The library has tried again already; what fails still may pass later all the same. */
  async #ask<T>(action: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      const isAnswer = cause instanceof S3ServiceException;
      if (isAnswer && (cause.name === 'NoSuchKey' || cause.name === 'NotFound'))
        throw new NotThere(`could not ${action}: it is not there`, { cause });
      const status = isAnswer ? cause.$metadata.httpStatusCode : undefined;
      const message = `the object store could not ${action}: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`;
      if (status === undefined || isTemporary(status)) throw new Transient(message, { cause });
      throw new Error(message, { cause });
    }
  }
}
