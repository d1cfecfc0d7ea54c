/** What the account page asks of the service. */
import { failureOf, request, UNREACHABLE } from '../shared/api.js';

/**
 * @typedef {import('../shared/api.js').Failure} Failure
 * @typedef {import('../../src/messages/wire/account.ts').AccountBody} Account
 * @typedef {import('../../src/messages/wire/account.ts').UsageBody} Usage
 * @typedef {{ from: string, to: string, of: 'key' | 'customer' }} AskedUsage
 */

const TIMEOUT_MS = 15_000;

/**
 * @param {string} key
 * @param {string} path after `/api/`
 * @param {{ method?: string, body?: unknown }} [options]
 * @returns {Promise<{ ok: true, body: any } | Failure>} the body is null when there is none
 */
export async function send(key, path, { method = 'GET', body } = {}) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if (method === 'DELETE') return remove(key, path, signal);
  return request(`/api/${path}`, key, {
    ...{ method, signal },
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
}

/**
 * @param {string} key
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<{ ok: true, body: null } | Failure>}
 */
async function remove(key, path, signal) {
  try {
    const response = await fetch(`/api/${path}`, {
      ...{ method: 'DELETE', signal },
      headers: { Authorization: `Bearer ${key}` },
    });
    return response.ok ? { ok: true, body: null } : await failureOf(response);
  } catch {
    return UNREACHABLE;
  }
}

/**
 * @param {string} key
 * @param {AskedUsage} asked
 * @returns {Promise<{ ok: true, body: Usage } | Failure>}
 */
export const readUsage = (key, asked) => send(key, `account/usage?${new URLSearchParams(asked)}`);

/**
 * The same as a file.
 * @param {string} key
 * @param {AskedUsage} asked
 * @returns {Promise<{ ok: true, blob: Blob } | Failure>}
 */
export async function readCsv(key, asked) {
  try {
    const response = await fetch(`/api/account/usage?${new URLSearchParams(asked)}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    return response.ok ? { ok: true, blob: await response.blob() } : await failureOf(response);
  } catch {
    return UNREACHABLE;
  }
}
