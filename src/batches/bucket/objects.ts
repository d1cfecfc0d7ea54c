import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
  type S3Client,
} from '@aws-sdk/client-s3';
import { openBucket } from '../../outbound/bucket.ts';
import type { BucketConfig } from '../../settings/setting-groups.ts';
import { unavailable } from '../../shared/problems.ts';

export interface ObjectsOptions {
  readonly bucket: BucketConfig;
  /** Longest wait for an answer to begin, and between two pieces of it. */
  readonly idleMs?: number;
  /** Times that a request is sent, with growing pauses, before it counts as failed. */
  readonly attempts?: number;
}

const IDLE_MS = 10_000;
const ATTEMPTS = 4;
/** Deletions under way at once. */
const DELETIONS = 8;

/**
 * Text in a bucket. Every object is written by one request, which a store does wholly or not at all: there are no uploads in parts that could stay
 * behind half done.
 */
export class Objects implements Disposable {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #attempts: number;

  constructor({ bucket, idleMs = IDLE_MS, attempts = ATTEMPTS }: ObjectsOptions) {
    this.#bucket = bucket.name;
    this.#attempts = attempts;
    this.#prefix = bucket.prefix === '' ? '' : `${bucket.prefix}/`;
    this.#client = openBucket(bucket, { idleMs, attempts });
  }

  /** @throws AppError DB_ERROR when the store is full or does not take it. */
  async put(name: string, text: string | Uint8Array): Promise<void> {
    const Body = Buffer.from(text);
    const command = new PutObjectCommand({
      ...this.#at(name),
      Body,
      ContentLength: Body.length,
      ContentType: 'application/x-ndjson',
    });
    await this.#ask('write', name, () => this.#client.send(command));
  }

  /**
   * @returns null when there is no such object.
   * @throws AppError DB_ERROR when the store does not give it, or gives another number of bytes than it has to have.
   */
  async get(name: string, bytes?: number): Promise<string | null> {
    return await this.#ask('read', name, async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#read(name, bytes);
        } catch (cause) {
          if (cause instanceof S3ServiceException && cause.name === 'NoSuchKey') return null;
          // The library repeats requests, but does not see that an answer breaks off after its head.
          if (!(cause instanceof BrokenBody) || attempt >= this.#attempts) throw cause;
        }
      }
    });
  }

  /** It is no error when it is not there. */
  async delete(name: string): Promise<void> {
    await this.#ask('delete', name, () => this.#client.send(new DeleteObjectCommand(this.#at(name))));
  }

  /** Writes an object and deletes it. @throws AppError DB_ERROR when the store cannot be used. */
  async try(name: string): Promise<void> {
    await this.put(name, '');
    await this.delete(name);
  }

  /** Deletes every object whose name begins with `start`. */
  async deleteAll(start: string): Promise<void> {
    for (;;) {
      const page = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix + start, MaxKeys: 1000 });
      const { Contents = [] } = await this.#ask('list', start, () => this.#client.send(page));
      const names = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key.slice(this.#prefix.length)]));
      if (names.length === 0) return;
      await Promise.all(Array.from({ length: DELETIONS }, () => this.#deleteFrom(names)));
    }
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }

  async #read(name: string, bytes: number | undefined): Promise<string> {
    const { Body } = await this.#client.send(new GetObjectCommand(this.#at(name)));
    const content = await Body?.transformToByteArray().catch((cause: unknown) => {
      throw new BrokenBody('the answer broke off', { cause });
    });
    const length = content?.length ?? 0;
    if (bytes !== undefined && bytes !== length) throw new BrokenBody(`${length} bytes instead of ${bytes}`);
    return Buffer.from(content ?? []).toString();
  }

  async #deleteFrom(names: string[]): Promise<void> {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await this.delete(name);
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + name };
  }

  async #ask<T>(action: string, name: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      throw unavailable('STORAGE_UNREACHABLE', `the object store could not ${action} ${name}: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }
}

class BrokenBody extends Error {}

/** Such as `AccessDenied: Access Denied`, or `ECONNREFUSED`: a failed connection to several addresses has no message. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const kind = cause instanceof S3ServiceException ? cause.name : code;
  return [kind, cause.message].filter((part, i) => part !== '' && (i === 0 || part !== kind)).join(': ') || cause.name;
}
