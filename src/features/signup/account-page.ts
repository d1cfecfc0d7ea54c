import { browserHeaders } from '../../core/http/browser-headers.ts';
import { openRoute, type Route } from '../../core/http/route.ts';
import { webPage, withoutKey } from '../../core/http/web-page.ts';
import type { Config } from '../../core/settings/config.ts';

/** The page `/account`, which is the same for everybody: what it shows comes from `/api/account`. No cache keeps it. */
export function accountPageRoute({ leftOut }: Pick<Config, 'leftOut'>): Route {
  const page = webPage('/account.html', (name) => !leftOut.includes(name));
  return openRoute('/account', [browserHeaders(), withoutKey], ({ res }) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(page);
  });
}
