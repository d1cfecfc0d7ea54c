import type { RequestHandler } from 'express';

/**
 * Leads a browser with a key in its address to the same address without it, so that the key does not stay in the address bar and in the history.
 * No page of ours makes such an address; a page of an earlier version did, and people try.
 */
export const withoutKey: RequestHandler = (req, res, next) => {
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  if (!query.has('key')) {
    next();
    return;
  }
  query.delete('key');
  res.setHeader('Cache-Control', 'no-store');
  res.redirect(303, query.size === 0 ? req.path : `${req.path}?${query.toString()}`);
};
