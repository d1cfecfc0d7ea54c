import { contentRange, type Answer } from '../../core/outbound/client.ts';

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
