import { contentRange, type Answer, checkStatus, isTemporary, send } from '../../core/outbound/client.ts';
import { tellMoved, type ArcgisOptions } from './arcgis.ts';
import { Refused } from '../../core/outbound/failures.ts';
import { withRetries } from '../../core/outbound/retry.ts';

/** A server's description of a file, which distinguishes it from a later version. */
export interface FileVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Of the whole file. */
  readonly bytes: number | null;
}

/** Reads the version from the answer to a request for a file or a part of it. */
export function versionOf({ status, headers }: Pick<Answer, 'status' | 'headers'>): FileVersion {
  const whole = status === 206 ? contentRange(headers)?.total : headers.get('content-length');
  const isEncoded = headers.get('content-encoding') !== null;
  return {
    etag: headers.get('etag'),
    lastModified: headers.get('last-modified'),
    bytes: whole === undefined || whole === null || isEncoded ? null : Number(whole),
  };
}

/** Says whether both are certainly the same file: by their tags, otherwise by date and length together. */
export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  if (isOtherVersion(a, b)) return false;
  if (a.etag !== null && b.etag !== null) return true;
  return a.lastModified !== null && b.lastModified !== null && a.bytes !== null && b.bytes !== null;
}

/** Says whether they cannot be the same file: both state a fact, and the facts differ. */
export function isOtherVersion(a: FileVersion, b: FileVersion): boolean {
  const members = ['etag', 'lastModified', 'bytes'] as const;
  return members.some((member) => a[member] !== null && b[member] !== null && a[member] !== b[member]);
}

/** Says whether the server offers only a length to identify the file. */
export function isUntold({ etag, lastModified }: FileVersion): boolean {
  return etag === null && lastModified === null;
}

/** Returns headers that request the file only if it differs from this version (RFC 9110, section 13.1). */
export function unlessSame({ etag, lastModified }: FileVersion): Record<string, string> {
  if (etag !== null) return { 'if-none-match': etag };
  return lastModified === null ? {} : { 'if-modified-since': lastModified };
}

/**
 * Returns headers that request a part only if the file is still this version. A weak tag does not promise the same
 * bytes (RFC 9110, section 13.1.5).
 */
export function ifStillSame({ etag, lastModified }: FileVersion): Record<string, string> {
  const validator = etag?.startsWith('"') === true ? etag : lastModified;
  return validator === null ? {} : { 'if-range': validator };
}

export type ProbeOptions = Pick<ArcgisOptions, 'retry' | 'idleMs' | 'onMoved'>;

/** Statuses of servers that do not support HEAD. */
const withoutHead = [405, 501];

/**
 * Asks for size and date of a file without fetching it.
 * @throws Error when the server does not have it, or does not answer.
 */
export async function probeFile(url: string, options: ProbeOptions): Promise<FileVersion> {
  try {
    return await withRetries(options.retry, () => probeOnce(url, options));
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${url}: ${cause.message}`;
    throw cause;
  }
}

async function probeOnce(url: string, { idleMs, onMoved }: ProbeOptions): Promise<FileVersion> {
  const identity = { 'accept-encoding': 'identity' };
  let response = await send({ url, idleMs, method: 'HEAD', headers: identity });
  if (withoutHead.includes(response.status)) {
    response = await send({ url, idleMs, headers: { ...identity, range: 'bytes=0-0' } });
    await response.cancel();
  }
  if (onMoved) tellMoved(response, url, { onMoved });
  if (response.status >= 400 && !isTemporary(response.status))
    throw new Refused(`the server answered ${response.status}`, response.status);
  checkStatus(response);
  return versionOf(response);
}
