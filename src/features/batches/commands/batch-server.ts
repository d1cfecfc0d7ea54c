/** The batches of a server, as `land-lookup batch` asks for them (docs/batches.md). */
import {
  isTemporary,
  readBody,
  retryAfterMs,
  send,
  type Answer,
  type OutboundRequest,
} from '../../../core/outbound/client.ts';
import { Refused, Transient } from '../../../core/outbound/failures.ts';
import { LONGEST_RETRY_AFTER_MS, patient, withRetries, type RetryPolicy } from '../../../core/outbound/retry.ts';
import { MOST_LISTED, type BatchBody, type BatchesBody, type ResultFormat } from '../wire/batch.ts';
import { duration } from '../../../core/terminal/progress-display.ts';

/** Longest silence of the server. */
const IDLE_MS = 60_000;

/** The server answers an upload when it has read and stored all of it. */
const UPLOAD_MS = 30 * 60_000;

const MOST_PROBLEM_BYTES = 64 * 1024;
const MOST_BODY_BYTES = 1024 ** 2;

/** One server with one key. Every request is repeated while its failure may pass. */
export class BatchServer {
  readonly #options;

  constructor(options: {
    readonly url: string;
    readonly key: string;
    /** Ends whatever is under way. */
    readonly stop: AbortSignal;
    /** Told before each wait for another attempt. */
    readonly onWait: (cause: Transient, waitMs: number) => void;
  }) {
    this.#options = options;
  }

  /** How attempts follow each other. */
  get retries(): RetryPolicy {
    const { stop, onWait } = this.#options;
    return { ...patient, stop, onWait };
  }

  /** Sends a file, and returns its batch. @throws Refused */
  create({
    contentType,
    body,
    detail,
    layers,
    addressColumns,
    vintage,
    idempotencyKey,
  }: {
    readonly contentType: string;
    /** Makes the bytes, compressed with gzip, anew for each attempt. */
    readonly body: () => AsyncIterable<Uint8Array>;
    readonly detail: 'plain' | 'full';
    /** Further answers; null: none. */
    readonly layers: string | null;
    /** Columns that make the address together; null: the column `address` does. */
    readonly addressColumns: string | null;
    /** The snapshot to answer from, by its id or a day; null: the one in service. */
    readonly vintage: string | null;
    /** An upload that is repeated with it makes no second batch. */
    readonly idempotencyKey: string;
  }): Promise<BatchBody> {
    const headers = {
      ...{ 'content-type': contentType, 'content-encoding': 'gzip', 'idempotency-key': idempotencyKey },
    };
    const query = new URLSearchParams({
      ...{ detail, ...(layers === null ? {} : { layers }) },
      ...(addressColumns === null ? {} : { address_columns: addressColumns }),
      ...(vintage === null ? {} : { vintage }),
    });
    return this.#json(`/api/batches?${query.toString()}`, () => ({
      ...{ method: 'POST', headers, body: body(), idleMs: UPLOAD_MS },
    }));
  }

  /** @throws Refused with code 404 when there is no such batch. */
  find(id: string): Promise<BatchBody> {
    return this.#json(`/api/batches/${encodeURIComponent(id)}`);
  }

  /** The batches of the key, newest first, up to this many. @throws Refused */
  async list(most: number): Promise<readonly BatchBody[]> {
    const found: BatchBody[] = [];
    for (let cursor: string | null = null; ;) {
      const query = new URLSearchParams({ limit: String(Math.min(most - found.length, MOST_LISTED)) });
      if (cursor !== null) query.set('cursor', cursor);
      const page: BatchesBody = await this.#json(`/api/batches?${query.toString()}`);
      found.push(...page.batches);
      cursor = page.nextCursor;
      if (cursor === null || page.batches.length === 0 || found.length >= most) return found;
    }
  }

  /** Ends a batch; what is answered stays. @throws Refused with code 409 when it has ended. */
  cancel(id: string): Promise<BatchBody> {
    return this.#json(`/api/batches/${encodeURIComponent(id)}/cancel`, () => ({ method: 'POST' }));
  }

  /** Begins one download of the results after a row. Its failures are for the caller. @throws Refused; Transient */
  async results(
    id: string,
    {
      format,
      after,
    }: {
      readonly format: ResultFormat;
      /** Number of the last row that is not wanted. */
      readonly after: number;
    },
  ): Promise<AsyncIterable<Uint8Array>> {
    const query = new URLSearchParams({ format, ...(after > 0 ? { after: String(after) } : {}) });
    return (await this.#send(`/api/batches/${encodeURIComponent(id)}/results?${query.toString()}`)).body;
  }

  #json<Body>(path: string, request: () => Partial<OutboundRequest> = () => ({})): Promise<Body> {
    return withRetries(this.retries, async () => {
      const body = await readBody(await this.#send(path, request()), MOST_BODY_BYTES);
      return bodyIn<Body>(body);
    });
  }

  async #send(path: string, request: Partial<OutboundRequest> = {}): Promise<Answer> {
    const { url, key, stop } = this.#options;
    const answer = await send({
      ...{ idleMs: IDLE_MS, signal: stop, ...request, url: url + path },
      headers: { authorization: `Bearer ${key}`, ...request.headers },
      // The key is for this server and no other.
      redirect: 'error',
    });
    if (answer.status >= 400) throw await failureOf(answer);
    return answer;
  }
}

function bodyIn<Body>(bytes: Buffer): Body {
  try {
    return JSON.parse(bytes.toString()) as Body;
  } catch (cause) {
    throw new Error('the server did not answer with JSON: is --url the address of a land-lookup service?', { cause });
  }
}

async function failureOf(answer: Answer): Promise<Error> {
  const message = messageOf(answer.status, await readBody(answer, MOST_PROBLEM_BYTES).catch(() => null));
  const waitMs = retryAfterMs(answer.headers);
  if (!isTemporary(answer.status)) return new Refused(message, answer.status);
  if (waitMs === null || waitMs <= LONGEST_RETRY_AFTER_MS) return new Transient(message, { retryAfterMs: waitMs });
  return new Refused(`${message} (the server asks for ${duration(waitMs / 1000)} of patience)`, answer.status);
}

/** What a problem document says, otherwise the status. */
function messageOf(status: number, body: Buffer | null): string {
  try {
    const { code, detail, title } = JSON.parse(String(body)) as Readonly<Record<string, unknown>>;
    if (typeof code === 'string') return `${code}: ${String(detail ?? title)}`;
  } catch {
    // Something between us and the service answered.
  }
  return `the server answered ${status}`;
}
