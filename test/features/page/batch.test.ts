import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ROWS_PER_CHUNK } from '../../../src/features/batches/job.ts';
import type { Visit } from '../../support/drivers/browser.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { given } from '../../support/drivers/given.ts';
import { holdRows } from '../../support/drivers/snapshots.ts';
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

/** Rows of four chunks: those of the first need no thread; one of each other does, so that while it waits nobody takes the fourth. */
const [NO_THREAD, A_THREAD] = ['north,west\n', '44.3,-78.6\n'];
const WAITING = A_THREAD + NO_THREAD.repeat(ROWS_PER_CHUNK - 1);
const MANY = `lat,lon\n${NO_THREAD.repeat(ROWS_PER_CHUNK)}${WAITING}${WAITING}${A_THREAD}`;

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

  /** Writes a key into its field, also where another was accepted. */
  async function giveKey(page: Page, key = service().key): Promise<void> {
    if (!(await page.isVisible('#key'))) await page.click('#change-key');
    await page.fill('#key', key);
  }
  const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.id ?? '');

  /** A page that gets one file after the other, and one whose map is looked at. */
  let plain: Visit, drawn: Visit;
  before(async () => {
    plain = await open({ expectedStatus: 403 });
    drawn = await open(WITH_MAP);
  });

  it('is what the page loads its program for, and nothing before', async () => {
    const { page } = plain;
    await page.waitForLoadState('networkidle');
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(loaded.some((url) => url.endsWith('/main.js'))).to.equal(true);
    expect(loaded.filter((url) => /batch|csv\.js/.test(url))).to.deep.equal([]);
    await drop(page, 'land.pdf', 'x');
    await page.getByText('land.pdf is no table of places and no outline of a parcel').waitFor();
    expect(await page.isVisible('#batch')).to.equal(false);
    await page.click('#open-batch');
    await page.waitForSelector('#batch:not([hidden])');
    const after = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(after.some((url) => url.endsWith('/batch.js'))).to.equal(true);
  });

  it('says what it understood and what it costs, and sends nothing before it is told to', async () => {
    const { page, complaints } = plain;
    const posted = sent(page);
    await giveKey(page);
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

  it('works by keyboard alone, with a file that is chosen', async () => {
    const { page } = plain;
    await page.focus('#open-batch');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'batch-heading');
    await page.setInputFiles('#batch-file', {
      ...{ name: 'places.csv', mimeType: 'text/csv', buffer: Buffer.from(PLACES) },
    });
    await page.waitForSelector('#batch-send');
    expect(await focused(page)).to.equal('batch-name');
    for (let i = 0; i < 5 && (await focused(page)) !== 'batch-send'; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await done(page);
    expect(await focused(page)).to.equal('batch-title');
  });

  it('is found again after the page is loaded anew, and by its link with the key alone', async () => {
    const { page } = plain;
    const link = page.url();
    expect(link).to.contain('#batch=').and.not.to.contain('olk_');
    await page.reload();
    await done(page);
    expect(await table(page)).to.have.length(3);
    // As somebody who has never been here.
    await page.evaluate(() => {
      sessionStorage.clear();
    });
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForSelector('#batch-show');
    await page.fill('#key', service().key);
    await page.click('#batch-show');
    await done(page);
    expect(await table(page)).to.have.length(3);
  });

  it('says little to those who listen while it runs', async () => {
    const { page } = plain;
    // Asked again at once, the service has answered some more rows each time.
    let answered = 0;
    await page.route('**/api/batches/bat_*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { readonly state: string; readonly rows: object };
      answered = Math.min(answered + 400, body.state === 'completed' ? 5000 : 4900);
      const state = answered < 5000 ? 'running' : 'completed';
      await route.fulfill({ response, json: { ...body, state, rows: { ...body.rows, total: 5000, done: answered } } });
    });
    await page.evaluate(() => {
      const wait = window.setTimeout.bind(window);
      const told: string[] = [];
      Object.assign(window, { told, wait, setTimeout: (then: () => void, ms = 0) => wait(then, ms / 100) });
      const status = document.querySelector('#status')!;
      new MutationObserver(() => {
        if (status.textContent !== '' && status.textContent !== told.at(-1)) told.push(status.textContent);
      }).observe(status, { childList: true, characterData: true, subtree: true });
    });
    await giveKey(page);
    await drop(page, 'places.csv', PLACES);
    await page.click('#batch-send');
    await done(page);
    const told = await page.evaluate(() => {
      const { told, wait } = window as unknown as { told: string[]; wait: typeof setTimeout };
      Object.assign(window, { setTimeout: wait });
      return told;
    });
    expect(told.length).to.be.within(2, 8);
    expect(told.at(-1)).to.equal('Done. 5,000 of 5,000 rows are answered (100%).');
    await page.unroute('**/api/batches/bat_*');
  });

  it('can be cancelled, and what is answered can be saved', async () => {
    const { page } = plain;
    await giveKey(page);
    await drop(page, 'many.csv', MANY);
    await page.getByText('many.csv: 3,001 rows').waitFor();
    const letGo = await holdRows();
    await page.click('#batch-send');
    await page.locator('#batch-progress tbody', { hasText: 'Not readable1,000' }).waitFor();
    await Promise.all([page.waitForResponse('**/cancel'), page.click('#batch-cancel')]);
    letGo();
    await page.locator('.batch-state', { hasText: /^Cancelled/ }).waitFor();
    expect(await page.locator('#batch-progress .batch-swatch.waiting').count()).to.equal(1);
    await page.click('#batch-programs summary');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('#batch-body [data-format=ndjson]'),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines).to.have.length(Number(await page.getAttribute('.batch-bar', 'aria-valuenow')));
    expect(lines.length).to.be.within(ROWS_PER_CHUNK, 3 * ROWS_PER_CHUNK);
  });

  it('is understood in French with semicolons, or by the columns that somebody chooses', async () => {
    const { page, complaints } = plain;
    await giveKey(page);
    await drop(page, 'lieux.csv', 'id;Adresse;Ville\n7;12 Main St W;Sampleton\n');
    await page.getByText('lieux.csv: 1 row').waitFor();
    expect(await page.textContent('#batch-columns')).to.equal(
      'Columns that count: id (your own id), Adresse (address), Ville (town)',
    );
    expect(await page.textContent('#batch-body')).to.contain('12 Main St W, Sampleton');
    await drop(page, 'places.csv', 'who,where,town\nAnn,12 Main St W,Sampleton\n');
    await page.getByText('Which of them say where a place is?').waitFor();
    expect(await focused(page)).to.equal('batch-choose');
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

  it('is refused in words, with what to do', async () => {
    const { page, complaints } = plain;
    await giveKey(page, await service().issueKey(1000, {}));
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

  it('says what the key may send today, before a file is chosen', async () => {
    const { page } = plain;
    await giveKey(page, await service().issueKey(1000, { batchRowsPerDay: 1234 }));
    await page.click('#open-batch');
    await page.getByText('This key may send 1,234 more rows today, of 1,234 per day.').waitFor();
    await switchLanguage(page);
    await page.getByText(/^Cette clé permet d’envoyer encore 1.234 lignes aujourd’hui/).waitFor();
    await switchLanguage(page);
  });

  it('takes a parcel that is chosen as a file of places for a parcel', async () => {
    const { page } = plain;
    const ring = [[-79.319, 44.299], [-79.316, 44.299], [-79.316, 44.301], [-79.319, 44.299]]; // prettier-ignore
    await page.setInputFiles('#batch-file', {
      ...{ name: 'parcel.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify({ type: 'Polygon', coordinates: [ring] })),
    });
    await page.getByText(/^parcel.json: a parcel of about/).waitFor();
  });

  given('maps').it(
    'keeps its map when the language changes, with all that says what maps show in it, here and at an answer before',
    async () => {
      const { page, complaints } = plain;
      await giveKey(page);
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

  it('is sent, watched by outcome, drawn and saved in every format', async () => {
    const { page, complaints } = drawn;
    await giveKey(page);
    await drop(page, 'places.csv', PLACES);
    await page.click('#batch-send');
    await done(page);
    expect(await table(page)).to.deep.equal(['Found250%', 'Not found125%', 'Not readable125%']);
    expect(await page.getAttribute('.batch-bar', 'aria-valuenow')).to.equal('4');
    expect(page.url()).to.match(/#batch=bat_[0-9a-f]{32}$/);
    await mapDrawn(page);
    if (HAS_MAP) expect(await page.textContent('#batch-map-note')).to.contain('2 of the first 4 rows');
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

  it('prints its outcomes and its map', async () => {
    const { page } = drawn;
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

  it('is counted by layer, listed with the reasons of what has no answer, and coloured by a layer', async () => {
    const { page, complaints } = drawn;
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

  it('fits a phone, in French, and changes its language with a batch standing', async () => {
    const { page } = drawn;
    await page.setViewportSize({ width: 360, height: 740 });
    await drop(page, 'lieux.csv', PLACES);
    await page.getByText('lieux.csv : 4 lignes').waitFor();
    expect(await page.textContent('#batch-columns')).to.contain('Colonnes qui comptent');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
    await drawAgain(page, async () => {
      await page.click('#batch-send');
      await done(page);
      await page.waitForSelector('#batch-results:not([hidden])');
    });
    expect(await table(page)).to.deep.include('Non trouvées125\u00a0%');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
    await switchLanguage(page);
    await page.getByText('Rows by outcome').waitFor();
    expect(await table(page)).to.deep.include('Not found125%');
  });

  given('maps').it('leaves the one map of the page to an answer', async () => {
    const { page, complaints } = drawn;
    await drawAgain(page, () => search(page, COUNTRY, service().key));
    expect(await page.locator('#map-slot #map-frame').count()).to.equal(1);
    expect(await page.isVisible('#batch-map')).to.equal(false);
    expect(await page.isVisible('#batch-progress')).to.equal(true);
    expect(complaints).to.deep.equal([]);
  });
});
