import { expect } from 'chai';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { given } from '../../support/drivers/given.ts';
import { makeTiles } from '../../support/material/tiles.ts';
import { COUNTRY, drawAgain, search, WITH_MAP, withPage } from './visits.ts';

given('maps').describe('The map of the page', function () {
  this.timeout(240_000);

  describe('with a base map on this machine', function () {
    const folder = temporaryFolder();
    const file = makeTiles(folder.path, { lat: 44.29994, lon: -79.31741 });
    after(() => {
      folder[Symbol.dispose]();
    });
    const { open, service } = withPage(this, { baseMap: file });

    it('can be opened before any address, is drawn on it, asks no other host, and shows its attribution on screen and on paper', async () => {
      await using opened = await open(WITH_MAP);
      const { page, complaints } = opened;
      await page.fill('#key', service().key);
      await page.click('#open-map');
      await page.waitForSelector('#choose #map[data-ready]');
      const parts: string[] = [];
      page.on('response', (response) => {
        if (response.url().includes('.pmtiles'))
          parts.push(`${response.status()} ${response.request().headers()['range']}`);
      });
      await drawAgain(page, () => search(page, COUNTRY, service().key));
      expect(parts).to.have.length.greaterThan(1);
      for (const part of parts) expect(part).to.match(/^206 bytes=/);
      expect(await page.textContent('.maplibregl-ctrl-attrib')).to.contain('OpenStreetMap');
      expect(await page.textContent('#source-list')).to.contain('OpenStreetMap');
      const dark = page.waitForResponse(/layers-en-dark\.json$/);
      await drawAgain(page, () => page.emulateMedia({ colorScheme: 'dark' }));
      expect((await dark).status()).to.equal(200);
      expect(complaints).to.deep.equal([]);
    });
  });
});
