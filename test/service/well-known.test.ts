import { expect } from 'chai';
import { startFrontEnd, type FrontEndOptions } from '../support/drivers/front-end.ts';
import { given } from '../support/drivers/given.ts';

/** Asks a service for a path. */
async function ask(path: string, options: FrontEndOptions = {}): Promise<readonly [number, string, string]> {
  await using front = await startFrontEnd(options);
  const response = await fetch(front.url + path);
  return [
    response.status,
    response.headers.get('content-type') ?? '',
    (await response.text()).replaceAll(front.url, 'HERE'),
  ];
}

describe('What programs ask every site for', () => {
  it('tells search engines where the pages are, and that the API has none', async () => {
    const [status, type, text] = await ask('/robots.txt');
    expect([status, type]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    expect(text).to.equal('User-agent: *\nDisallow: /api/\n\nSitemap: HERE/sitemap.xml\n');
  });

  given('examples', 'page').it('lists the pages for search engines, each of which is there', async () => {
    await using front = await startFrontEnd();
    const response = await fetch(`${front.url}/sitemap.xml`);
    expect(response.headers.get('content-type')).to.equal('application/xml');
    const urls = [...(await response.text()).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url!);
    expect(urls).to.include.members(['/', '/examples', '/docs', '/docs/api'].map((path) => front.url + path));
    for (const url of urls) expect((await fetch(url)).status, url).to.equal(200);
  });

  it('lists no page of a feature that is left out, and names the address that the operator gives', async () => {
    const [, , text] = await ask('/sitemap.xml', {
      features: [],
      leftOut: ['examples', 'page'],
      publicUrl: 'https://land.example',
    });
    expect(text)
      .to.contain('<loc>https://land.example/docs</loc>')
      .and.not.to.match(/example\/<|examples|HERE/);
  });

  it('says whom to tell of a fault in security, where the operator can be asked', async () => {
    expect((await ask('/.well-known/security.txt'))[0]).to.equal(404);
    const [status, type, text] = await ask('/.well-known/security.txt', { contact: 'mailto:help@land.example' });
    expect([status, type]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    const lines = [...text.matchAll(/^([\w-]+): (.+)$/gm)].map(([, name, value]) => [name!, value!] as const);
    const fields: Readonly<Record<string, string>> = Object.fromEntries(lines);
    expect(fields).to.include({
      ...{ Contact: 'mailto:help@land.example', Canonical: 'HERE/.well-known/security.txt' },
      ...{ Policy: 'HERE/docs/security', 'Preferred-Languages': 'en, fr' },
    });
    // RFC 9116 wants a time to come, in less than a year.
    const days = (Date.parse(fields['Expires']!) - Date.now()) / 86_400_000;
    expect(days).to.be.within(100, 364);
  });
});
