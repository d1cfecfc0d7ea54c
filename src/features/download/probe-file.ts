import { versionOf, type FileVersion } from './file-version.ts';
import { tellMoved, type ArcgisOptions } from './arcgis.ts';
import { checkStatus, isTemporary, send } from '../../core/outbound/client.ts';
import { Refused } from '../../core/outbound/failures.ts';
import { withRetries } from '../../core/outbound/retry.ts';

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
