/** A layer of somebody's own on the page: one JSON file decides where it stands, and in which words. */
import { expect } from 'chai';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueKey } from '../../../src/core/keys/keys.ts';
import { openKeyStore } from '../../../src/core/keys/open-key-store.ts';
import { loadLayers } from '../../../src/import/load-layers.ts';
import { projectDir } from '../../../src/project/project.ts';
import { readConfig } from '../../../src/config.ts';
import { startService, type Service } from '../../../src/service.ts';
import { hasBrowser, sharedBrowser, visit, type Visit } from '../../support/drivers/browser.ts';
import { capturedOutput } from '../../support/drivers/captured-output.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { capturingLogger } from '../../support/drivers/front-end.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';
import { geoJson, polygon, square, writeSources } from '../../support/material/sources.ts';
import { search, switchLanguage, WITHOUT_MAP } from './visits.ts';

const ADDRESS = '12 Main St W, Sampleton, ON';

interface Definition {
  readonly answers: readonly [Record<string, unknown>];
}

/** The example of the documentation, whose answer has other members. */
const definitionWith = (members: Readonly<Record<string, unknown>>): string => {
  const example = JSON.parse(readFileSync(join(projectDir, 'docs/examples/quiet_zone.json'), 'utf8')) as Definition;
  return JSON.stringify({ ...example, answers: [{ ...example.answers[0], ...members }] });
};

const CONTACTS = 'https://caves.example/ +1 416 555 0100';

const reader = {
  concern: 'hazard',
  name: { en: 'Sinkholes', fr: 'Dolines' },
  meaning: {
    ...{ en: 'The ground may give way.', fr: 'Le sol peut céder.' },
    source: { en: 'Guide to sinkholes', fr: 'Guide des dolines', url: 'https://sinkholes.example/' },
  },
  next: { en: 'Ask {office}.', fr: 'Demandez à {office}.', office: 'municipality' },
  knows: {
    ...{ en: 'the Cave Society', fr: 'la Société des cavernes' },
    ...{ url: 'https://caves.example/', telephone: '+1 416 555 0100' },
  },
};

describe('The page with a layer of one’s own', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let service: Service;
  /** A page with an answer. */
  let opened: Visit;

  before(async function () {
    if (!hasBrowser()) this.skip();
    const layersDir = join(folder.path, 'layers.d');
    mkdirSync(layersDir);
    writeFileSync(
      join(layersDir, 'sinkholes.json'),
      definitionWith({
        ...{ order: 1000, key: 'sinkholes', title: 'Sinkhole areas', reader },
        french: { title: 'Zones de dolines', description: 'Où le sol peut céder.' },
      }),
    );
    writeFileSync(
      join(layersDir, 'hills.json'),
      definitionWith({ order: 1001, key: 'hills', title: 'Hills', reader: undefined, french: undefined }),
    );
    cpSync(sampleDataDir(), join(folder.path, 'data'), { recursive: true, verbatimSymlinks: true });
    const environment = { DATA_DIR: join(folder.path, 'data'), PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
    const config = readConfig({ ...environment, LOOKUP_DEADLINE_MS: '120000', LAYERS_DIR: layersDir });
    const land = { file: 'land.geojson', asOf: '2026-02-03' };
    const from = writeSources(
      join(folder.path, 'from'),
      { sample: true, sinkholes: land, hills: land },
      { 'land.geojson': geoJson([polygon([square(-79, 43.5, 1)], { RATING: 'Q2' })]) },
    );
    const output = capturedOutput();
    expect(await loadLayers(config, { from }, output), output.text()).to.equal(0);
    await using store = await openKeyStore(config);
    const { key } = await issueKey(store, { name: 'test' });
    service = await startService(config, { logger: capturingLogger().logger });
    opened = await visit(await sharedBrowser(), { url: service.url, ...WITHOUT_MAP, isNew: true });
    await opened.page.waitForSelector('html[data-ready]');
    await search(opened.page, ADDRESS, key);
  });
  after(async () => {
    if (hasBrowser()) {
      await opened[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    }
    folder[Symbol.dispose]();
  });

  for (const [language, words] of [
    [
      'en',
      {
        ...{
          tally: '1 hazard: Sinkholes',
          hills: 'Hills: quiet',
          means: 'The ground may give way. Guide to sinkholes',
          near: 'Also here',
        },
        ...{
          next: ['→ Ask City of Sampleton.', `→ Who would know more: the Cave Society. ${CONTACTS}`],
          details: 'Quiet Zone',
        },
      },
    ],
    [
      'fr',
      {
        ...{
          tally: '1 danger\u00a0: Dolines',
          hills: 'Hills : quiet',
          means: 'Le sol peut céder. Guide des dolines',
          near: 'Aussi ici',
        },
        ...{
          next: ['→ Demandez à City of Sampleton.', `→ Qui en saurait plus : la Société des cavernes. ${CONTACTS}`],
          details: 'Quiet Zone',
        },
      },
    ],
  ] as const)
    it(`has it among the hazards by its file alone, without it among what is near by: ${language}`, async () => {
      const { page, complaints } = opened;
      if ((await page.getAttribute('html', 'lang')) !== language) await switchLanguage(page);
      expect(await page.textContent('#tally li')).to.equal(words.tally);
      const card = page.locator('.first [data-key=sinkholes]');
      expect(await card.getAttribute('class')).to.equal('row found hazard');
      expect(await card.locator('.advice').first().textContent()).to.equal(words.means);
      expect(
        await card.locator('.advice a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      ).to.deep.equal(['https://sinkholes.example/', 'https://caves.example/', 'tel:+14165550100']);
      expect(await card.locator('.next').allTextContents()).to.deep.equal(words.next);
      expect(await card.locator('summary').textContent()).to.contain(words.details);
      const hills = page.locator('#near [data-key=hills]');
      expect(await hills.locator('h4').textContent()).to.equal(words.hills);
      expect(await page.textContent('#near > summary')).to.contain(words.near);
      expect(await page.locator('.first [data-key=hills]').count()).to.equal(0);
      expect(complaints).to.deep.equal([]);
    });
});
