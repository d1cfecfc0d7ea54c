import type { Answer } from '../outbound/client.ts';

/** What a server says about a file, by which it can be told from a later one. */
export interface FileVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Of the whole file. */
  readonly bytes: number | null;
}

/** Reads the version out of an answer to a request for a file or for a part of it. */
export function versionOf({ status, headers }: Pick<Answer, 'status' | 'headers'>): FileVersion {
  const whole = status === 206 ? contentRange(headers)?.total : headers.get('content-length');
  const isEncoded = headers.get('content-encoding') !== null;
  return {
    etag: headers.get('etag'),
    lastModified: headers.get('last-modified'),
    bytes: whole === undefined || whole === null || isEncoded ? null : Number(whole),
  };
}

/** Whether both are the same file for sure: by their tags, else by date and length together. */
export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  if (isOtherVersion(a, b)) return false;
  if (a.etag !== null && b.etag !== null) return true;
  return a.lastModified !== null && b.lastModified !== null && a.bytes !== null && b.bytes !== null;
}

/** Whether they cannot be the same file: both say something, and not the same. */
export function isOtherVersion(a: FileVersion, b: FileVersion): boolean {
  const members = ['etag', 'lastModified', 'bytes'] as const;
  return members.some((member) => a[member] !== null && b[member] !== null && a[member] !== b[member]);
}

/** Whether the server gives nothing but a length to tell the file by. */
export function isUntold({ etag, lastModified }: FileVersion): boolean {
  return etag === null && lastModified === null;
}

/** Asks for the file only if it is another one than this (RFC 9110, section 13.1). */
export function unlessSame({ etag, lastModified }: FileVersion): Record<string, string> {
  if (etag !== null) return { 'if-none-match': etag };
  return lastModified === null ? {} : { 'if-modified-since': lastModified };
}

/** Asks for a part only if the file is still this one. A weak tag does not promise the same bytes (RFC 9110, section 13.1.5). */
export function ifStillSame({ etag, lastModified }: FileVersion): Record<string, string> {
  const validator = etag?.startsWith('"') === true ? etag : lastModified;
  return validator === null ? {} : { 'if-range': validator };
}

/** Which part an answer holds: first byte and length of the whole; null when it does not say. */
export function contentRange(
  headers: Answer['headers'],
): { readonly from: number; readonly total: string | null } | null {
  const parts = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (!parts) return null;
  return { from: Number(parts[1]), total: parts[2] === '*' ? null : parts[2]! };
}
