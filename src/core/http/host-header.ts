import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../messages/problems.ts';

/** What ends a host in a URL, or stands before one. */
const NO_HOST = /[/?#@\\]/;

/**
 * Refuses a request without exactly one `Host`, or with one that is no host, as RFC 9112 (section 3.2) requires: a proxy may have taken another
 * one of them.
 */
export function requireOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count > 1) throw badRequest('the request has more than one Host header', { param: 'Host' });
  if (count === 0 && httpVersion === '1.1') throw badRequest('the request has no Host header', { param: 'Host' });
  const { host = '' } = headers;
  if (host === lastHost) return;
  if (!isHost(host)) throw badRequest('the Host header is not a host', { param: 'Host' });
  lastHost = host;
}

/** The last good one: nearly all requests have the same, and checking it takes a microsecond. */
let lastHost = '';

/** An empty one is allowed. */
function isHost(text: string): boolean {
  return text === '' || (!NO_HOST.test(text) && URL.canParse(`http://${text}`));
}
