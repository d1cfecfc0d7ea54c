import { versionOf, type FileVersion } from './file-version.ts';
import { asTransient, checkStatus, IdleTimer, initOf } from './http.ts';
import { withRetries, type RetryPolicy } from './retry.ts';

export interface ProbeOptions {
  readonly retry: RetryPolicy;
  readonly idleMs: number;
}

/** Statuses of servers that do not support HEAD. */
const withoutHead = [405, 501];

/**
 * Asks for size and date of a file without fetching it.
 * @throws Error when the server does not have it, or does not answer.
 */
export async function probeFile(url: string, { retry, idleMs }: ProbeOptions): Promise<FileVersion> {
  try {
    return await withRetries(retry, () => probeOnce(url, idleMs));
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${url}: ${cause.message}`;
    throw cause;
  }
}

async function probeOnce(url: string, idleMs: number): Promise<FileVersion> {
  const idle = new IdleTimer(idleMs);
  const identity = { 'accept-encoding': 'identity' };
  try {
    let response = await fetch(url, { ...initOf({ headers: identity }), method: 'HEAD', signal: idle.signal });
    if (withoutHead.includes(response.status)) {
      const firstByte = { ...identity, range: 'bytes=0-0' };
      response = await fetch(url, { ...initOf({ headers: firstByte }), signal: idle.signal });
      await response.body?.cancel();
    }
    checkStatus(response);
    return versionOf(response);
  } catch (cause) {
    throw asTransient(cause, idle);
  } finally {
    idle.stop();
  }
}
