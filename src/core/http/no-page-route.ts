import type { RequestHandler } from 'express';
import { browserHeaders } from './browser-headers.ts';
import { Content, sendContent } from './content.ts';
import { smallPage } from './small-page.ts';

/**
 * What a person sees who follows a link that leads nowhere. Programs, and whatever asks below `/api`, get a problem document.
 * @param hasStart whether there is a page at `/`, to lead to.
 */
export function noPageRoute(hasStart: boolean): RequestHandler {
  const content = new Content(Buffer.from(page(hasStart)));
  const setHeaders = browserHeaders();
  // No route, because Express answers OPTIONS with 200 wherever a route answers GET.
  return (req, res, next) => {
    const isPage = (req.method === 'GET' || req.method === 'HEAD') && !req.path.startsWith('/api/');
    if (!isPage || req.accepts(['json', 'html']) !== 'html') {
      next();
      return;
    }
    setHeaders(req, res, () => {
      res.status(404).vary('Accept');
      void sendContent(req, res, content, { type: 'text/html; charset=utf-8' });
    });
  };
}

function page(hasStart: boolean): string {
  const start = (path: string, words: string): string => (hasStart ? `\n<p><a href="${path}">${words}</a></p>` : '');
  return smallPage({
    language: 'en',
    title: 'No such page · Page introuvable',
    main: `<h1>There is no page at this address</h1>${start('/', 'Look an address up')}
<section lang="fr"><h2>Il n’y a aucune page à cette adresse</h2>${start('/?lang=fr', 'Chercher une adresse')}</section>`,
  });
}
