import type { RequestHandler } from 'express';
import { AppError } from '../../shared/problems.ts';

/**
 * Refuses requests that a page of another site makes a visitor's browser send. A browser says so in `Sec-Fetch-Site`; an older one names the
 * page in `Origin`, which is `null` for a form of a page that sends no referrer.
 */
export function sameOriginOnly(origin: () => string): RequestHandler {
  return (req, _res, next) => {
    const site = req.get('sec-fetch-site');
    const from = req.get('origin');
    const isOwn = site === 'same-origin' && (from === undefined || from === 'null' || from === origin());
    if (!isOwn && !(site === undefined && from === origin()))
      throw new AppError('FORBIDDEN', 'this request must come from the sign-up page of this service', {
        log: { reason: 'OTHER_SITE' },
      });
    next();
  };
}
