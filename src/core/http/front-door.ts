/** What a developer needs first: where this service is, how to get a key, and a request that works here. */
import type { Request } from 'express';
import { flatPrice, priceIn, unitCostOf } from '../billing/lookup-price.ts';
import { contentOf, type Content } from './content.ts';
import { exampleOfSample, exampleRequest } from './example-request.ts';
import type { Guide } from './guides.ts';
import { escapeHtml } from './html.ts';
import type { AboutFeature } from './routes.ts';
import type { Services } from './services.ts';

/** A host as nearly all are. Any other is not repeated in a command. */
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/** The address in our documents, where a service on the reader's own machine is. */
const IN_DOCUMENTS = 'http://127.0.0.1:8080';

/**
 * Makes a page that names this service: by `PUBLIC_URL`, else by the address at which it was asked.
 * @param parts what else the page is made of.
 */
export function pageWithAddress(
  { config }: Pick<Services, 'config'>,
  parts: () => readonly unknown[],
  text: (address: string) => string,
): (req: Request) => Content {
  let address = '';
  const content = contentOf(
    () => [address, ...parts()],
    () => text(address),
  );
  return (req) => {
    address = config.publicUrl ?? addressIn(req);
    return content();
  };
}

function addressIn(req: Request): string {
  const host = req.get('host') ?? '';
  return HOST.test(host) ? `${req.protocol}://${host}` : IN_DOCUMENTS;
}

/** Writes a guide for this service: its commands ask this service for what it answers. */
export function guideHere({ html }: Guide, address: string, services: Services): string {
  return html
    .replaceAll(IN_DOCUMENTS, () => escapeHtml(address))
    .replaceAll(escapeHtml(exampleOfSample), () => escapeHtml(exampleRequest(services)));
}

/** Where somebody gets a key, as a link or in words. @param keysAt page on which visitors get one by themselves; null: there is none. */
export function keyFrom(
  { contact }: Pick<Services['config'], 'contact'>,
  keysAt: string | null,
  link: (href: string, words: string) => string,
): string {
  if (keysAt !== null) return link(keysAt, 'get one here');
  if (contact === null) return 'ask the operator of this service for one';
  return `ask ${link(contact, contact.replace(/^mailto:/, ''))} for one`;
}

/** The page on which visitors get keys by themselves; null: there is none. */
export const keysAtOf = (about: readonly AboutFeature[]): string | null =>
  about.find(({ keysAt }) => keysAt !== undefined)?.keysAt ?? null;

/** What a lookup costs; null: no price is known. */
function priceOf({ billing }: Pick<Services, 'billing'>): string | null {
  const flat = flatPrice(billing?.price?.known ?? null);
  return flat && priceIn('en', { amount: unitCostOf(flat), currency: flat.currency });
}

const linkTo = (href: string, words: string): string => `<a href="${escapeHtml(href)}">${escapeHtml(words)}</a>`;

/** The lines on top of `/docs`, as HTML. */
export function frontDoor(
  services: Services,
  address: string,
  { about, guides }: { readonly about: readonly AboutFeature[]; readonly guides: readonly Guide[] },
): string {
  const { config } = services;
  const price = priceOf(services);
  const command = [
    `curl -s ${address}/api/lookup \\`,
    `  -H 'Authorization: Bearer olk_...' -H 'Content-Type: application/json' \\`,
    `  -d '${exampleRequest(services)}'`,
  ].join('\n');
  const limits = about.map(({ limits: also }) => (also === undefined ? '' : ` ${escapeHtml(also)}`)).join('');
  const lines = {
    Address: `<code>${escapeHtml(address)}</code>, before every path below.`,
    Key: `In each request as <code>Authorization: Bearer olk_…</code>: ${keyFrom(config, keysAtOf(about), linkTo)}.`,
    'First lookup': `With your key in place of <code>olk_...</code>:<pre tabindex="0"><code>${escapeHtml(command)}</code></pre>`,
    'Limit and price': `A key may make ${config.rateLimitPerHour.toLocaleString('en-CA')} lookups per hour if it has no limit of its own; <code>RateLimit</code> in each answer says what is left.${limits} ${price === null ? 'Only' : `A lookup costs ${escapeHtml(price)}, and only`} an answer (200) is billed.`,
    'From a server': `Call it from a server of yours, never from a page in a browser: whoever sees the page would have your key. So no route with a key has CORS headers, and browsers refuse the call.`,
    Retries: `After 429 and 503 wait as many seconds as <code>Retry-After</code> says. With the same <code>Idempotency-Key</code>, a request that is sent again is counted and billed once.`,
    'Read on': guides.map(({ path, title }) => `<a href="${path}">${title}</a>`).join(' · '),
  };
  const items = Object.entries(lines).map(([name, line]) => `<dt>${name}</dt><dd>${line}</dd>`);
  return `<header class="door"><dl>\n${items.join('\n')}\n</dl></header>`;
}
