import { Router } from 'express';
import { browserHeaders } from '../browser-headers.ts';
import { withoutKey } from '../key-in-address.ts';
import { onlyMethods } from '../problem.ts';
import { webPage } from '../web-page.ts';

/** The page `/account`, which is the same for everybody: what it shows comes from `/api/account`. No cache keeps it. */
export function accountPageRoute(): Router {
  const page = webPage('/account.html');
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/account')
    .get(browserHeaders(), withoutKey, (_req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      res.setHeader('Content-Type', 'text/html; charset=utf-8');
      res.end(page);
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
