/** What the account page asks of the service. */
import { failureOf, request, UNREACHABLE, type Failure, type Result } from '../shared/api.ts';
import type { AccountBody, UsageBody } from '../../src/messages/wire/account.ts';

export type Account = AccountBody;
export type Usage = UsageBody;
export type AskedUsage = { from: string; to: string; of: 'key' | 'customer' };

const TIMEOUT_MS = 15_000;

/**
 * `path`: after `/api/`.
 */
export async function send<Answer>(
  key: string,
  path: string,
  { method = 'GET', body }: { method?: string; body?: unknown } = {},
): Promise<Result<Answer>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return request(`/api/${path}`, key, {
    ...{ method, signal },
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
}

/** Deletes what a path names. */
export async function remove(key: string, path: string): Promise<{ ok: true } | Failure> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`/api/${path}`, {
      ...{ method: 'DELETE', signal },
      headers: { Authorization: `Bearer ${key}` },
    });
    return response.ok ? { ok: true } : await failureOf(response);
  } catch {
    return UNREACHABLE;
  }
}

export const readUsage = (key: string, asked: AskedUsage): Promise<{ ok: true; body: Usage } | Failure> =>
  send(key, `account/usage?${new URLSearchParams(asked)}`);

/** The same as a file. */
export async function readCsv(key: string, asked: AskedUsage): Promise<{ ok: true; blob: Blob } | Failure> {
  try {
    const response = await fetch(`/api/account/usage?${new URLSearchParams(asked)}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    return response.ok ? { ok: true, blob: await response.blob() } : await failureOf(response);
  } catch {
    return UNREACHABLE;
  }
}
