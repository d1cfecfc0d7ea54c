import { isUtf8 } from 'node:buffer';
import { checkStatus, isTemporary, readBody, send, type Answer } from '../../core/outbound/client.ts';
import { checkLogin, LOGIN_BYTES } from './login-page.ts';
import { Refused, Transient } from '../../core/outbound/failures.ts';
import { withRetries, type RetryPolicy } from '../../core/outbound/retry.ts';

/** Any JSON object of an ArcGIS server. */
export type ArcgisJson = Readonly<Record<string, unknown>>;

/** Waits and retries of one run. */
export interface ArcgisOptions {
  readonly retry: RetryPolicy;
  readonly idleMs: number;
  /** Free disk that a download leaves; 0 when absent. */
  readonly minFreeBytes?: number;
  /** Is told where an answer came from when the server sent the request on. */
  readonly onMoved?: (to: string) => void;
}

/** Longest silence of a server, before and in the middle of an answer. */
export const IDLE_MS = 90_000;

/** Limit for metadata and lists of ids; features have their own, lower limit. */
const METADATA_BYTES = 512 * 1024 * 1024;

/** Codes that another attempt does not change: the thing does not exist, or a token is required. */
export const permanentCodes: readonly number[] = [401, 403, 404, 498, 499];

/**
 * Makes one call of the ArcGIS REST API, and tries again while the server fails. A server reports failures inside a
 * 200, and a proxy in front of it may send a web page, so only a JSON object without `error` is an answer.
 * @throws Error that says what came instead; Refused; TooLarge.
 */
export async function callArcgis(
  url: string,
  parameters: Readonly<Record<string, string>>,
  options: ArcgisOptions & {
    readonly maxBytes?: number;
    /** More codes that another attempt does not change. */
    readonly refusals?: readonly number[];
  },
): Promise<ArcgisJson> {
  const form = { f: 'json', ...parameters };
  const maxBytes = options.maxBytes ?? METADATA_BYTES;
  // Queries are posted, because a list of ids is longer than a URL may be.
  const wanted = url.endsWith('/query') ? { url, form } : { url: `${url}?${new URLSearchParams(form).toString()}` };
  try {
    return await withRetries(options.retry, async () => {
      const response = await send({ ...wanted, idleMs: options.idleMs });
      tellMoved(response, url, options);
      const body = await readBody(response, maxBytes);
      checkLogin(response, body.toString('latin1', 0, LOGIN_BYTES));
      checkAnswered(response, body);
      // What is not UTF-8 would be read as other words.
      if (!isUtf8(body)) throw new Error('the answer is not in UTF-8');
      return answerOf(body.toString('utf8'), [...permanentCodes, ...(options.refusals ?? [])]);
    });
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${url}: ${cause.message}`;
    throw cause;
  }
}

/** Tells of an answer that came from another place than was asked. */
export function tellMoved({ url }: Answer, asked: string, { onMoved }: Pick<ArcgisOptions, 'onMoved'>): void {
  const place = (one: string): string => new URL(one).origin + new URL(one).pathname;
  if (place(url) !== place(asked)) onMoved?.(place(url));
}

/** A server also reports its failure in the body of another status: then that says more. */
function checkAnswered(response: Answer, body: Buffer): void {
  if (response.status < 400 || (isTemporary(response.status) && response.status !== 500)) {
    checkStatus(response);
    return;
  }
  const text = body.toString('utf8');
  if (isError(text)) return;
  if (isTemporary(response.status)) checkStatus(response);
  throw new Refused(`the server answered ${response.status}`, response.status);
}

function isError(text: string): boolean {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && 'error' in json;
  } catch {
    return false;
  }
}

function answerOf(text: string, refusals: readonly number[]): ArcgisJson {
  const json = parse(text);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Transient(`the answer is no JSON object but ${excerpt(text)}`);
  if ('error' in json) throw serverError(json.error, refusals);
  return json as ArcgisJson;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = /^\s*</.test(text) ? 'a web page' : 'broken off or no JSON';
    throw new Transient(`the answer is ${what}: ${excerpt(text)}`, { cause });
  }
}

function serverError(error: unknown, refusals: readonly number[]): Error {
  const { code, message } = (error ?? {}) as { code?: number; message?: string };
  const text = `the server reports ${code ?? 'an error'}: ${message ?? 'no message'}`;
  return refusals.includes(Number(code)) ? new Refused(text, Number(code)) : new Transient(text);
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 60)}…` : text);
}
