import { browserHeaders } from '../../core/http/browser-headers.ts';
import { openRoute, type Route } from '../../core/http/route.ts';
import { webPage, withoutKey, escapeHtml } from '../../core/http/pages.ts';
import { exampleRequest } from '../../core/http/service-documents.ts';
import type { Services } from '../../core/http/services.ts';

/** The page `/account`, which is the same for everybody but for its example of a lookup: what it shows comes from `/api/account`. No cache keeps it. */
export function accountPageRoute(services: Services): Route {
  const page = webPage('/account.html', (name) => !services.config.leftOut.includes(name));
  return openRoute('/account', [browserHeaders(), withoutKey], ({ res }) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(page.replace('{request}', () => escapeHtml(exampleRequest(services))));
  });
}
