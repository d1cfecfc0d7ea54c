import { versionOf, type FileVersion } from './file-version.ts';
import { checkStatus, send } from '../../core/outbound/client.ts';
import { withRetries, type RetryPolicy } from '../../core/outbound/retry.ts';

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
  const identity = { 'accept-encoding': 'identity' };
  let response = await send({ url, idleMs, method: 'HEAD', headers: identity });
  if (withoutHead.includes(response.status)) {
    response = await send({ url, idleMs, headers: { ...identity, range: 'bytes=0-0' } });
    await response.cancel();
  }
  checkStatus(response);
  return versionOf(response);
}
