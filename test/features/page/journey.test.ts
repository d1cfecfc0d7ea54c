import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import type { LayersBody } from '../../../src/messages/wire/layers.ts';
import type { Visit } from '../../support/drivers/browser.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { COUNTRY, HAS_MAP, answerOf, openFolds, search, withPage, switchLanguage } from './visits.ts';
import { layerKeys } from '../../support/material/layer-keys.ts';

const sourceUntil = { day: '2008-06-12', stated: 'The source says so.' };

describe('The page, from an address to its land', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** A page with the answer for `COUNTRY`, and the first picture of its map. */
  let answered: Visit;
  before(async () => {
    answered = await open();
    await search(answered.page, COUNTRY, service().key);
  });

  it('goes from an address typed to its place, certainty, map, legend, groups and sources', async () => {
    const { page, complaints } = answered;
    expect(await page.textContent('#resolved')).to.equal('1209 Concession 4, Fiddlehead Corners, ON L0Z 1P2, Canada');
    expect(await page.textContent('#certainty')).to.match(
      /^At the side of the street, within about \d+\sm .*44\.29994° N, 79\.31741° W$/,
    );
    expect(await page.textContent('#sample')).to.contain('fictional');
    if (HAS_MAP) await page.waitForSelector('#first-picture:not([hidden])');
    expect(await page.locator('#groups h3').allTextContents()).to.satisfy((titles: string[]) =>
      ['Also here', 'Checked, not here', 'Not known here', 'Names of the place'].every((words, i) =>
        titles[i]?.startsWith(words),
      ),
    );
    expect(await page.locator('[data-key]').count()).to.equal(layerKeys.length);
    expect(await page.textContent('[data-key=greenbelt] h4'), 'one sentence of two answers').to.equal(
      'In the Greenbelt: Protected Countryside',
    );
    expect(await page.locator('[data-key=greenbelt] [data-key=greenbeltDesignation]').count()).to.equal(1);
    expect(await page.textContent('[data-key=soil] h4')).to.equal('Soil capability for agriculture: class 3');
    expect(await page.textContent('[data-key=municipality] h4')).to.equal('Municipality: Township of Fiddlehead');
    expect(await page.textContent('[data-key=municipality] .values')).to.equal('Lower Tier · in County of Sample');
    expect(await page.textContent('#naming'), 'shorter than what it explains: the rest is folded')
      .to.match(/Township of Fiddlehead · County of Sample/)
      .and.not.to.match(/:|watershed/);
    expect(await page.textContent('#names')).to.match(/Tertiary watershed: .*Ecoregion: /s);
    expect(await page.textContent('[data-key=waterWells] h4')).to.match(
      /: \d+ within 500\sm, the nearest \d+\sm away$/,
    );
    expect(await page.textContent('[data-key=wetlandProximity] .value')).to.match(/^None within 120\sm$/);
    expect(await page.locator('.source-list').textContent()).to.contain('Greenbelt Designation (Ontario Ministry');
    expect(complaints).to.deep.equal([]);
  });

  it('prints a report of two pages with place, answers, sources and date', async () => {
    const { page } = answered;
    if (HAS_MAP) await page.waitForSelector('#first-picture:not([hidden])');
    const pdf = await page.pdf({ preferCSSPageSize: true });
    using folder = temporaryFolder();
    const file = join(folder.path, 'report.pdf');
    writeFileSync(file, pdf);
    expect(execFileSync('pdfinfo', [file], { encoding: 'utf8' }))
      .to.match(/^Pages:\s+[23]$/m)
      .and.to.match(/^Title:\s+1209 Concession 4, Fiddlehead Corners/m);
    for (const number of ['1', '2']) {
      const paged = execFileSync('pdftotext', ['-layout', '-f', number, '-l', number, file, '-'], { encoding: 'utf8' });
      expect(paged.trimStart().split('\n', 1)[0], 'the place and the page at the top of each').to.match(
        new RegExp(`^1209 Concession 4, Fiddlehead Corners.* ${number} ?/ ?[23]$`),
      );
    }
    const first = execFileSync('pdftotext', ['-layout', '-l', '1', file, '-'], { encoding: 'utf8' });
    for (const words of ['A screening aid made from open data', 'Restricts the land', 'Checked, not here', 'Not known'])
      expect(first, 'what it is, and what its marks say').to.contain(words);
    const text = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
    expect(text.split('A screening aid').length, 'said once').to.equal(2);
    for (const words of [
      '1209 Concession 4',
      'fictional',
      'Not known',
      'Protected Countryside',
      'Sources, dates',
      'snapshot',
      'Report of',
      '/#address=1209+Concession+4',
    ])
      expect(text).to.contain(words);
    expect(text).not.to.contain('Copy as JSON');
    const images = execFileSync('pdfimages', ['-list', file], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => /image/.test(line));
    expect(images.length > 0, 'the map is on it').to.equal(HAS_MAP);
  });

  it('shows "not known" unlike "no", and says why', async () => {
    const unknown = answered.page.locator('[data-key=floodProximity]');
    const none = answered.page.locator('[data-key=wetlandProximity]');
    expect(await unknown.evaluate((element) => element.closest('section')?.className), 'a hazard').to.equal('first');
    expect(await unknown.getAttribute('class')).to.contain('unknown');
    expect(await unknown.locator('.value').textContent()).to.equal('Not knownthe data does not reach this place');
    const look = (row: typeof unknown): Promise<string> =>
      row.evaluate(
        (element) =>
          getComputedStyle(element).backgroundImage + getComputedStyle(element.firstElementChild!).borderStyle,
      );
    expect(await look(answered.page.locator('.together')))
      .to.contain('gradient')
      .and.to.contain('dashed');
    expect(await look(none)).to.equal('nonesolid');
  });

  it('agrees with the API on what is found, not there and not known', async () => {
    const body = await answerOf(service(), COUNTRY);
    const states = Object.values(body.evidence).map(({ state }) => state);
    const found = states.filter((state) => state === 'present').length;
    const none = states.filter((state) => state === 'absent').length;
    const { page } = answered;
    expect(await page.locator('.row.found[data-key], .row .row, .row [data-key]').count()).to.equal(found);
    expect(await page.locator('.row.none[data-key]').count()).to.equal(none);
    expect(await page.locator('.row.unknown[data-key]').count()).to.equal(layerKeys.length - found - none);
    expect(await page.textContent('#tally')).to.contain(`${none} checked and not here`);
    expect(await page.textContent('#none h3')).to.equal(`Checked, not here (${none})`);
  });

  it('explains an answer on demand: what it means, distance, date, licence', async () => {
    const { page } = answered;
    await openFolds(page);
    await page.click('[data-key=watercourseProximity] summary');
    await page.waitForSelector('[data-key=watercourseProximity] dl');
    const text = await page.textContent('[data-key=watercourseProximity] details');
    for (const word of ['A screening class', 'Date', 'Licence', 'Waterbody']) expect(text).to.contain(word);
  });

  describe('says of the data', () => {
    const announced = [
      { from: null, en: 'Offices merge.', fr: 'Des offices fusionnent.', url: 'https://www.ontario.ca/merger' },
      { from: '2027-01-01', en: 'Names change.', fr: 'Des noms changent.', url: 'https://www.ontario.ca/names' },
    ];
    const said: Readonly<Record<string, object>> = {
      transmissionLineProximity: { sourceUntil },
      wetlandProximity: { announced },
    };
    let page: Page;
    before(async () => {
      ({ page } = answered);
      // Also the answers of the tests before, with what was said of the data.
      await page.evaluate(() => {
        sessionStorage.clear();
      });
      await page.route('**/api/layers', async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as LayersBody;
        const layers = body.layers.map((layer) => ({
          ...layer,
          dataSets: layer.dataSets.map((dataSet) => ({ ...dataSet, announced: [], ...said[layer.key] })),
        }));
        await route.fulfill({ response, json: { ...body, layers } });
      });
      await page.reload();
      await search(page, COUNTRY, service().key);
      await openFolds(page);
    });

    const explained = async (key: string): Promise<string | null> => {
      await page.click(`[data-key=${key}] summary`);
      await page.waitForSelector(`[data-key=${key}] dl`);
      return page.textContent(`[data-key=${key}] dl`);
    };

    it('on which day they end, where their source says so', async () => {
      const ends = 'The data end, as their source says, onJune 12, 2008. The source says so.';
      expect(await explained('transmissionLineProximity')).to.contain(ends);
      const railway = await explained('railwayProximity');
      expect(railway).not.to.contain('The data end').and.not.to.contain('Announced');
    });

    it('which change is announced, in both languages', async () => {
      const english = await explained('wetlandProximity');
      expect(english).to.contain('Announced changeOffices merge. The day is not known. Read more');
      expect(english).to.contain('Announced changeNames change. From January 1, 2027. Read more');
      expect(await page.getAttribute('[data-key=wetlandProximity] dl a[href$="/merger"]', 'rel')).to.equal(
        'noreferrer',
      );
      await switchLanguage(page);
      await openFolds(page);
      const french = await explained('wetlandProximity');
      expect(french).to.contain('Changement annoncéDes offices fusionnent. Le jour n’est pas connu. En savoir plus');
      expect(french).to.match(/Des noms changent\. À partir du 1(er)? janvier 2027\. En savoir plus/);
    });
  });

  it('copies the answer as JSON, and a link that asks before it looks the address up again', async () => {
    const { page } = answered;
    await search(page, COUNTRY, service().key);
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await page.click('#copy-json');
    await page.waitForFunction(() => document.getElementById('status')?.textContent.includes('clipboard'));
    expect((JSON.parse(await clipboard()) as FullLookupBody).address).to.contain('1209 Concession 4');
    await page.click('#copy-link');
    await page.waitForFunction(() => document.getElementById('status')?.textContent.includes('link'));
    const link = await clipboard();
    expect(link).to.contain('#address=').and.not.to.contain('olk_');
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(request.url());
    });
    await page.goto(link);
    await page.waitForFunction(() => document.getElementById('status')?.textContent.includes('comes from a link'));
    expect(asked, 'nothing is spent').to.deep.equal([]);
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('submit');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#result:not([hidden])');
    expect(await page.textContent('#resolved')).to.contain('1209 Concession 4');
  });

  it('says how many layers the service has', async () => {
    const { page } = answered;
    await page.route(service().url, async (route) => {
      const response = await route.fetch();
      const html = (await response.text()).replace(`"layers":${layerKeys.length}`, '"layers":5');
      await route.fulfill({ response, body: html });
    });
    await page.reload();
    await page.getByText(/^5 answers about a place/).waitFor();
    await switchLanguage(page);
    await page.getByText(/^5 réponses sur un lieu/).waitFor();
    await page.unroute(service().url);
    await switchLanguage(page);
  });

  it('keeps the key in the tab alone', async () => {
    const { page } = answered;
    const names = await page.evaluate(
      (key) => Object.keys(sessionStorage).filter((name) => sessionStorage.getItem(name)?.includes(key)),
      service().key,
    );
    expect(names).to.deep.equal(['land-lookup-key']);
    const kept = await page.evaluate(() => [localStorage.length, document.cookie]);
    expect(kept).to.deep.equal([0, '']);
    const other = await page.context().newPage();
    await other.goto(service().url);
    await other.waitForSelector('html[data-ready]');
    expect(await other.inputValue('#key')).to.equal('');
    await other.close();
  });
});
