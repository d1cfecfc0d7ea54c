import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { given } from '../../support/drivers/given.ts';
import {
  changeMap,
  COUNTRY,
  HAS_MAP,
  drawAgain,
  mapDrawn,
  search,
  switchLanguage,
  violationsOf,
  WITH_MAP,
  withPage,
} from './visits.ts';

const PLACES = `custom_id,address,owner
a,"12 Main St W, Sampleton, ON",Ann
b,"1 Nowhere Cres, Sampleton, ON",Bob
c,"13 Marsh Rd, Fiddlehead Corners, ON",Cyd
d,,Dee
`;

/** Enough rows that a person can see them being answered. */
const manyPlaces = (rows: number): string =>
  'lat,lon\n' + Array.from({ length: rows }, (_, i) => `${44 + (i % 700) / 1e4},-78.6\n`).join('');

given('batches').describe('The page, from a file of places', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  async function drop(page: Page, name: string, text: string): Promise<void> {
    const data = await page.evaluateHandle(
      ([fileName, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content!], fileName!));
        return transfer;
      },
      [name, text],
    );
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
  }
  const sent = (page: Page): string[] => {
    const paths: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') paths.push(new URL(request.url()).pathname);
    });
    return paths;
  };
  const table = (page: Page): Promise<string[]> => page.locator('#batch-progress tbody tr').allTextContents();
  const done = (page: Page): Promise<unknown> => page.waitForSelector('#batch-body [data-format=csv]');

  /** Pages that several tests look at: one to which nothing is given at first, one that gets files of other kinds, one with an answered batch. */
  let empty: Visit, unread: Visit, sentPlaces: Visit;
  before(async () => {
    [empty, unread] = [await open(), await open()];
    sentPlaces = await open(WITH_MAP);
    const { page } = sentPlaces;
    await page.fill('#key', service().key);
    await drop(page, 'places.csv', PLACES);
    await page.click('#batch-send');
    await done(page);
  });

  it('is what the page loads its program for, and nothing before', async () => {
    const { page } = empty;
    await page.waitForTimeout(1000);
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(loaded.some((url) => url.endsWith('/main.js'))).to.equal(true);
    expect(loaded.filter((url) => /batch|csv\.js/.test(url))).to.deep.equal([]);
    await page.click('#open-batch');
    await page.waitForSelector('#batch:not([hidden])');
    const after = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(after.some((url) => url.endsWith('/batch.js'))).to.equal(true);
  });

  it('says what it understood and what it costs, and sends nothing before it is told to', async () => {
    const { page, complaints } = empty;
    const posted = sent(page);
    await page.fill('#key', service().key);
    await drop(page, 'places.csv', PLACES);
    await page.waitForSelector('#batch-send');
    expect(await page.textContent('#batch-name')).to.equal('places.csv: 4 rows');
    expect(await page.textContent('#batch-columns')).to.equal('Columns that count: custom_id, address');
    expect(await page.textContent('#batch-body'))
      .to.contain('ignored: owner')
      .and.to.contain('12 Main St W, Sampleton');
    expect(await page.textContent('#batch-cost')).to.contain('at most 4 lookups');
    expect(await violationsOf(page)).to.deep.equal([]);
    expect(posted).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  it('prints its outcomes and its map', async () => {
    const { page } = sentPlaces;
    await mapDrawn(page);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    using folder = temporaryFolder();
    const file = join(folder.path, 'batch.pdf');
    writeFileSync(file, pdf);
    const text = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
    expect(text).to.contain('Rows by outcome').and.to.contain('Not found').and.not.to.contain('Save as spreadsheet');
    const images = execFileSync('pdfimages', ['-list', file], { encoding: 'utf8' });
    expect(images.split('\n').some((line) => / image /.test(line))).to.equal(HAS_MAP);
  });

  it('is sent, watched by outcome, drawn and saved in every format', async () => {
    const { page, complaints } = sentPlaces;
    expect(await table(page)).to.deep.equal(['Found250%', 'Not found125%', 'Not readable125%']);
    expect(await page.getAttribute('.batch-bar', 'aria-valuenow')).to.equal('4');
    expect(page.url()).to.match(/#batch=bat_[0-9a-f]{32}$/);
    await mapDrawn(page);
    if (HAS_MAP) expect(await page.textContent('#batch-map-note')).to.contain('2 of the first 4 rows');
    expect(await violationsOf(page)).to.deep.equal([]);
    using folder = temporaryFolder();
    const begins: Record<string, RegExp> = {
      ndjson: /^\{"row":1,"custom_id":"a","status":200/,
      geojson: /^\{\s*"type"\s*:\s*"FeatureCollection"/,
      parquet: /^PAR1/,
    };
    await page.click('#batch-programs summary');
    for (const [format, beginning] of Object.entries(begins)) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-format=${format}]`)]);
      expect(download.suggestedFilename()).to.match(new RegExp(`^bat_[0-9a-f]{32}\\.${format}$`));
      const file = join(folder.path, format);
      await download.saveAs(file);
      expect(readFileSync(file, 'latin1')).to.match(beginning);
    }
    expect(complaints).to.deep.equal([]);
  });

  it('is counted by layer, listed with the reasons of what has no answer, and coloured by a layer', async () => {
    const { page, complaints } = sentPlaces;
    const rows = ['"4 Wharf Lane, Maple Sample, ON"', ...Array<string>(30).fill('"12 Main St W, Sampleton, ON"')];
    await drop(
      page,
      'more-places.csv',
      ['address', ...rows, ...Array<string>(30).fill('"1 Nowhere Cres, Sampleton, ON"')].join('\n'),
    );
    await page.getByText('more-places.csv: 61 rows').waitFor();
    await drawAgain(page, async () => {
      await page.click('#batch-send');
      await done(page);
      await page.waitForSelector('#batch-results:not([hidden])');
    });
    expect(await page.textContent('#batch-counts h3')).to.equal('What the 31 answered rows have');
    expect(await page.textContent('#batch-counts .hazard')).to.contain('Mapped flood hazard (1 of 31)');
    await page.click('#batch-counts summary');
    const wetland = page.locator('#batch-counts tbody tr', { hasText: /^Wetland/ });
    expect(await wetland.locator('td').allTextContents()).to.have.length(5);
    const counted = (await wetland.locator('td').allTextContents()).slice(1).map(Number);
    expect(
      counted.reduce((sum, one) => sum + one, 0),
      'each row counts once',
    ).to.equal(31);
    const body = page.locator('#batch-rows tbody tr');
    expect(await body.count()).to.equal(25);
    expect(await page.textContent('#batch-rows [role=status]')).to.equal('Rows 1 to 25 of 61');
    expect(await body.nth(0).textContent()).to.match(/^14 Wharf Lane, Maple Sample, ONFound4 Wharf Lane/);
    await page.click('#batch-next');
    expect(await body.nth(6).textContent()).to.match(
      /^321 Nowhere Cres, Sampleton, ONNot foundThe street is not known there\./,
    );
    await page.focus('#batch-next');
    await page.keyboard.press('Enter');
    expect(await page.textContent('#batch-rows [role=status]')).to.equal('Rows 51 to 61 of 61');
    expect(await page.evaluate(() => document.activeElement?.id), 'never on a button that is gone').to.equal(
      'batch-previous',
    );
    await page.check('#batch-refused');
    expect(await page.textContent('#batch-rows [role=status]')).to.equal('Rows 1 to 25 of 30');
    await page.uncheck('#batch-refused');
    if (HAS_MAP) {
      await changeMap(page, () => page.selectOption('#batch-colour', 'floodProximity'));
      expect(await page.locator('.batch-points li').allTextContents()).to.deep.equal([
        ...['Here (1)', 'Close (0)', 'Not here (30)', 'Not known (0)'],
      ]);
      expect(await body.nth(0).locator('td').last().textContent()).to.equal('Here');
    }
    expect(await violationsOf(page)).to.deep.equal([]);
    await switchLanguage(page);
    await page.getByText('Ce que les 31 lignes avec une réponse ont').waitFor();
    if (HAS_MAP)
      expect(await page.locator('.batch-points li').first().textContent(), 'the layer stays').to.equal('Ici (1)');
    expect(complaints).to.deep.equal([]);
  });

  given('maps').it('leaves the one map of the page to an answer', async () => {
    const { page, complaints } = sentPlaces;
    await drawAgain(page, () => search(page, COUNTRY, service().key));
    expect(await page.locator('#map-slot #map-frame').count()).to.equal(1);
    expect(await page.isVisible('#batch-map')).to.equal(false);
    expect(await page.isVisible('#batch-progress')).to.equal(true);
    expect(complaints).to.deep.equal([]);
  });

  it('is found again after the page is loaded anew, and by its link with the key alone', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.fill('#key', service().key);
    await drop(page, 'places.csv', PLACES);
    await page.click('#batch-send');
    await done(page);
    const link = page.url();
    expect(link).not.to.contain('olk_');
    await page.reload();
    await done(page);
    expect(await table(page)).to.have.length(3);
    await using other = await open();
    await other.page.goto(link);
    await other.page.reload();
    await other.page.waitForSelector('#batch-show');
    await other.page.fill('#key', service().key);
    await other.page.click('#batch-show');
    await done(other.page);
    expect(await table(other.page)).to.have.length(3);
  });

  it('can be cancelled, and what is answered can be saved', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.fill('#key', service().key);
    await drop(page, 'many.csv', manyPlaces(60_000));
    await page.waitForSelector('#batch-send');
    await page.click('#batch-send');
    await page.click('#batch-cancel');
    await page.locator('.batch-state', { hasText: /^Cancelled/ }).waitFor();
    expect(await page.locator('#batch-progress .batch-swatch.waiting').count()).to.equal(1);
    expect(await page.locator('#batch-body [data-format=ndjson]').count()).to.equal(1);
  });

  it('says little to those who listen while it runs', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.fill('#key', service().key);
    await page.evaluate(() => {
      const told: string[] = [];
      Object.assign(window, { told });
      const status = document.querySelector('#status')!;
      new MutationObserver(() => {
        if (status.textContent !== '' && status.textContent !== told.at(-1)) told.push(status.textContent);
      }).observe(status, { childList: true, characterData: true, subtree: true });
    });
    await drop(page, 'many.csv', manyPlaces(5000));
    await page.click('#batch-send');
    await done(page);
    const told = await page.evaluate(() => (window as unknown as { told: string[] }).told);
    expect(told.length).to.be.within(2, 8);
    expect(told.at(-1)).to.equal('Done. 5,000 of 5,000 rows are answered (100%).');
  });

  it('is refused in words, with what to do', async () => {
    await using opened = await open({ expectedStatus: 403 });
    const { page, complaints } = opened;
    await page.fill('#key', await service().issueKey(1000, {}));
    await page.click('#open-batch');
    await page.getByText('This key may send no files of places').waitFor();
    await drop(page, 'twice.csv', 'address,Address\n1 Main St,\n');
    await page.getByText('two columns that mean the same: address and Address').waitFor();
    expect(await violationsOf(page)).to.deep.equal([]);
    await drop(page, 'places.csv', PLACES);
    await page.click('#batch-send');
    await page.getByText('This key may not send the file').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  given('maps').it(
    'keeps its map when the language changes, with all that says what maps show in it, here and at an answer before',
    async () => {
      await using opened = await open();
      const { page, complaints } = opened;
      await search(page, COUNTRY, service().key);
      await drop(page, 'places.csv', PLACES);
      await page.click('#batch-send');
      await done(page);
      await page.waitForSelector('#batch-map-slot #map-frame');
      await switchLanguage(page);
      await page.getByText('Lignes par issue').waitFor();
      expect(await page.textContent('#batch-key')).to.contain('Colorer les points selon');
      expect(await page.textContent('#batch-map-note')).to.contain('2 des 4 premières lignes');
      expect(await page.textContent('#legend legend')).to.equal('Couches de la carte');
      expect(await page.textContent('#legend'))
        .to.contain("L'adresse")
        .and.not.to.contain('The address');
      await page.waitForFunction(() =>
        document.querySelector('#first-picture')?.getAttribute('aria-label')?.startsWith('Carte des lignes'),
      );
      expect(await page.locator('#batch-map-slot #map-frame').count()).to.equal(1);
      expect(complaints).to.deep.equal([]);
    },
  );

  it('says what the key may send today, before a file is chosen', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.fill('#key', await service().issueKey(1000, { batchRowsPerDay: 1234 }));
    await page.click('#open-batch');
    await page.getByText('This key may send 1,234 more rows today, of 1,234 per day.').waitFor();
    await switchLanguage(page);
    await page.getByText(/^Cette clé permet d’envoyer encore 1.234 lignes aujourd’hui/).waitFor();
  });

  it('is understood in French with semicolons, or by the columns that somebody chooses', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.fill('#key', service().key);
    await drop(page, 'lieux.csv', 'id;Adresse;Ville\n7;12 Main St W;Sampleton\n');
    await page.waitForSelector('#batch-send');
    expect(await page.textContent('#batch-columns')).to.equal(
      'Columns that count: id (your own id), Adresse (address), Ville (town)',
    );
    expect(await page.textContent('#batch-body')).to.contain('12 Main St W, Sampleton');
    await drop(page, 'places.csv', 'who,where,town\nAnn,12 Main St W,Sampleton\n');
    await page.getByText('Which of them say where a place is?').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('batch-choose');
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.click('#batch-use');
    await page.getByText('Choose the column of the address').waitFor();
    await page.selectOption('[data-role=address]', { label: 'where' });
    await page.selectOption('[data-role=custom_id]', { label: 'who' });
    await page.click('#batch-use');
    await page.waitForSelector('#batch-send');
    await page.click('#batch-other');
    await page.selectOption('[data-role=city]', { label: 'town' });
    await page.click('#batch-use');
    await page.click('#batch-send');
    await done(page);
    expect(await table(page)).to.deep.equal(['Found1100%']);
    expect(complaints).to.deep.equal([]);
  });

  it('is named for what it is when the page cannot read it', async () => {
    const { page } = unread;
    for (const [name, words] of [
      ['land.gpx', 'land.gpx is a map file (GPX) that this page cannot read. Save it as GeoJSON'],
      ['land.zip', 'land.zip is an archive. Unpack it'],
      ['land.xlsx', 'land.xlsx is a spreadsheet. Save its sheet as CSV'],
      ['land.pdf', 'land.pdf is no table of places and no outline of a parcel'],
    ] as const) {
      await drop(page, name, 'x');
      await page.getByText(words).waitFor();
    }
    expect(await page.isVisible('#batch')).to.equal(false);
  });

  it('takes a parcel that is chosen as a file of places for a parcel', async () => {
    const { page } = unread;
    await page.fill('#key', service().key);
    await page.click('#open-batch');
    const ring = [[-79.319, 44.299], [-79.316, 44.299], [-79.316, 44.301], [-79.319, 44.299]]; // prettier-ignore
    await page.setInputFiles('#batch-file', {
      ...{ name: 'parcel.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify({ type: 'Polygon', coordinates: [ring] })),
    });
    await page.getByText(/^parcel.json: a parcel of about/).waitFor();
  });

  it('works by keyboard alone, with a file that is chosen', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.fill('#key', service().key);
    await page.focus('#open-batch');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#batch:not([hidden])');
    await page.setInputFiles('#batch-file', {
      ...{ name: 'places.csv', mimeType: 'text/csv', buffer: Buffer.from(PLACES) },
    });
    await page.waitForSelector('#batch-send');
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.id ?? '');
    expect(await focused()).to.equal('batch-name');
    for (let i = 0; i < 5 && (await focused()) !== 'batch-send'; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await done(page);
    expect(await focused()).to.equal('batch-title');
  });

  it('fits a phone, in French, and changes its language with a batch standing', async () => {
    await using opened = await open({ width: 360, height: 740, locale: 'fr-CA', ...WITH_MAP });
    const { page } = opened;
    await page.fill('#key', service().key);
    await drop(page, 'lieux.csv', PLACES);
    await page.waitForSelector('#batch-send');
    expect(await page.textContent('#batch-columns')).to.contain('Colonnes qui comptent');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.click('#batch-send');
    await done(page);
    await mapDrawn(page);
    expect(await table(page)).to.deep.include('Non trouvées125\u00a0%');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
    await switchLanguage(page);
    await page.getByText('Rows by outcome').waitFor();
    expect(await table(page)).to.deep.include('Not found125%');
  });
});
