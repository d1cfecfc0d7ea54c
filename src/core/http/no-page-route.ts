import type { RequestHandler } from 'express';
import { browserHeaders } from './browser-headers.ts';
import { Content, sendContent } from './content.ts';
import { smallPage } from './small-page.ts';

/** What a person sees who follows a link that leads nowhere. Programs, and whatever asks below `/api`, get a problem document. */
export function noPageRoute(): RequestHandler {
  const content = new Content(Buffer.from(page()));
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

function page(): string {
  return smallPage({
    language: 'en',
    title: 'No such page · Page introuvable',
    main: `<h1>There is no page at this address</h1>
<p><a href="/">Look an address up</a></p>
<section lang="fr"><h2>Il n’y a aucune page à cette adresse</h2>
<p><a href="/?lang=fr">Chercher une adresse</a></p></section>`,
  });
}
