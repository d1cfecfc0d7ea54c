/** What programs ask every site for: `/robots.txt`, `/sitemap.xml`, and `/.well-known/security.txt` (RFC 9116) where there is somebody to tell. */
import { DAY_MS } from '../../messages/time.ts';
import { sendContent } from './content.ts';
import { pageWithAddress } from './front-door.ts';
import { escapeHtml } from './html.ts';
import { openRoute, type Route } from './route.ts';
import type { Services } from './services.ts';

/** How long what it says of security holds. RFC 9116 (section 2.5.5) recommends less than a year. */
const HOLDS_DAYS = 180;

/** @param pages paths of the pages that are for search engines. */
export function wellKnownRoutes(services: Services, pages: readonly string[]): readonly Route[] {
  const today = (): number => Math.floor(Date.now() / DAY_MS);
  const sent = (path: string, type: string, text: (address: string) => string): Route => {
    const content = pageWithAddress(services, () => [today()], text);
    return openRoute(path, [], ({ req, res }) => sendContent(req, res, content(req), { type }));
  };
  const plain = 'text/plain; charset=utf-8';
  const { contact } = services.config;
  return [
    sent('/robots.txt', plain, (address) => `User-agent: *\nDisallow: /api/\n\nSitemap: ${address}/sitemap.xml\n`),
    sent('/sitemap.xml', 'application/xml', (address) => sitemap(pages.map((path) => address + path))),
    ...(contact === null
      ? []
      : [sent('/.well-known/security.txt', plain, (address) => securityText(contact, address, today() + HOLDS_DAYS))]),
  ];
}

function sitemap(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${escapeHtml(url)}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`;
}

/** @param untilDay day since 1970 on which it ends. */
function securityText(contact: string, address: string, untilDay: number): string {
  return `Contact: ${contact}
Expires: ${new Date(untilDay * DAY_MS).toISOString()}
Preferred-Languages: en, fr
Canonical: ${address}/.well-known/security.txt
Policy: ${address}/docs/security
`;
}
