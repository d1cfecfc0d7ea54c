import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Lets pages of other sites read a document that needs no key. Nothing else has such a header: a key in a page belongs to everybody who sees the
 * page (docs/decisions/0190).
 */
export const readableFromAnywhere: RequestHandler = (_req, res, next) => {
  res.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
  next();
};

/**
 * Sets the headers of everything that a browser shows: a strict Content-Security-Policy, and no framing, sniffing or
 * referrer.
 */
export function browserHeaders({
  tileOrigin,
  styleSources = [],
  scriptSources = [],
  formTargets = [],
}: {
  /** Origin of the base map's tiles, the only one besides our own that a page may contact. */
  readonly tileOrigin?: string | undefined;
  /** Sources of styles besides our own files, such as the hash of a style sheet that stands in the page. */
  readonly styleSources?: readonly string[];
  /** Sources of scripts besides our own files: the hash of a script that stands in the page. */
  readonly scriptSources?: readonly string[];
  /** Where a form may lead besides our own address. */
  readonly formTargets?: readonly string[];
} = {}): RequestHandler {
  const tiles = tileOrigin === undefined ? [] : [tileOrigin];
  return helmet({
    // The reverse proxy decides about HTTPS.
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...scriptSources],
        styleSrc: ["'self'", ...styleSources],
        // data: is for the print report's picture of the map and for the icons in the libraries' style sheets.
        imgSrc: ["'self'", 'data:', ...tiles],
        connectSrc: ["'self'", ...tiles],
        workerSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'", ...formTargets],
        frameAncestors: ["'none'"],
      },
    },
  });
}
