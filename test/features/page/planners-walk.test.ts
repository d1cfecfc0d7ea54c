import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { given } from '../../support/drivers/given.ts';
import { answerOf, COUNTRY, lookupsOf, NORTH, search, withPage } from './visits.ts';

const PLACES = [
  '12 Main St W, Sampleton',
  '4 Wharf Lane, Maple Sample',
  '13 Marsh Rd, Fiddlehead Corners',
  NORTH.replace(/, ON$/, ''),
];
const HEADER = ['File No.', 'Applicant', 'Street Address', 'Town', 'Postal Code', 'Remarks'];

const ROWS = Array.from({ length: 40 }, (_, i) => {
  const [street = '', town = ''] = PLACES[i % PLACES.length]!.split(', ');
  const remark = i === 1 ? '=HYPERLINK("x")' : i === 2 ? 'near the "old" well, see 3' : 'à vérifier';
  return [`D-${100 + i}`, `Côté & Fils ${i}`, street, town, '', remark];
});

/** As Excel saves "CSV (Comma delimited)" on Windows. */
const inExcel = (rows: readonly (readonly string[])[]): Buffer => {
  const line = (row: readonly string[]) =>
    row.map((one) => (/[",]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(',');
  return Buffer.from(rows.map((row) => `${line(row)}\r\n`).join(''), 'latin1');
};

/** Letters and digits alone, however they are written. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');

/** What names a value: a name, a class or a count. */
function factsIn(value: unknown): readonly string[] {
  const isObject = typeof value === 'object' && value !== null;
  const all: readonly (readonly [string, unknown])[] = isObject ? Object.entries(value) : [['name', value]];
  const named = all.filter(([name]) => /name$|class$|^count/i.test(name)).map(([, one]) => one);
  return named
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String)
    .slice(0, 1);
}

/** As the page rounds it: whole metres from ten on, and tenths of a kilometre. */
function distanceIn(distanceM: number | null | undefined): readonly string[] {
  if (!distanceM) return [];
  if (distanceM >= 1000) return [`${Number((distanceM / 1000).toFixed(1))} km`];
  return [`${distanceM < 10 ? distanceM : Math.round(distanceM)} m`];
}

const BOW_TIE = [[-79.345, 44.28], [-79.295, 44.315], [-79.295, 44.28], [-79.345, 44.315], [-79.345, 44.28]]; // prettier-ignore
const KML = `<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
<Placemark><name>North field</name><ExtendedData><Data name="PIN"><value>03600-0123</value></Data></ExtendedData>
<Polygon><outerBoundaryIs><LinearRing><coordinates>${BOW_TIE.map((at) => `${at.join(',')},0`).join(' ')}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>`;

given('batches').describe('The page, for a planner with a table', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  const choose = (page: Page, field: string, name: string, buffer: Buffer) =>
    page.setInputFiles(field, { name, mimeType: 'application/octet-stream', buffer });

  it('gives his own table back, with what was asked beside what was found, as 40 single lookups say it', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const lookups = lookupsOf(page);
    await page.fill('#key', service().key);
    await page.click('#open-batch');
    const title = ['Comité – liste de novembre'.replace('–', '-'), '', '', '', '', ''];
    await choose(page, '#batch-file', 'liste.csv', inExcel([title, HEADER, ...ROWS]));
    await page.waitForSelector('#batch-send');
    expect(await page.textContent('#batch-body'))
      .to.contain('Read as Windows text')
      .and.contain('“Comité”');
    expect(await page.textContent('#batch-body')).to.contain(
      'Above the header, and left out: Comité - liste de novembre',
    );
    expect(await page.textContent('#batch-columns')).to.contain('File No. (your own id)');
    await page.click('#batch-send');
    await page.waitForSelector('#batch-results:not([hidden])');

    // The headlines of a single answer, what is not known first.
    const lines = await page.locator('#batch-counts .tally li').allTextContents();
    expect(lines[0]).to.match(/^Not known for 20 of 40: Mapped flood hazard/);
    expect(lines.join('\n')).to.match(/hazards?: .*Mapped flood hazard \(10 of 40\)/);
    expect(lines.join('\n')).to.match(/restricts? land: .* of 40\)/);
    expect(await page.locator('#batch-counts details[open]').count()).to.equal(0);

    using folder = temporaryFolder();
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-format=csv]')]);
    const file = join(folder.path, 'saved.csv');
    await download.saveAs(file);
    const bytes = readFileSync(file);
    expect([...bytes.subarray(0, 3)]).to.deep.equal([0xef, 0xbb, 0xbf]);
    const [head, ...saved] = parse(bytes, { bom: true });
    expect(head!.slice(0, 6)).to.deep.equal(HEADER);
    expect(head!.slice(6, 11)).to.deep.equal([
      'Asked for',
      'Outcome',
      'Address found',
      'How sure',
      'What differs, or why there is no answer',
    ]);
    expect(saved).to.have.length(40);
    const { layers } = (await (await fetch(`${service().url}/api/layers`)).json()) as {
      layers: { key: string; kind: string; title: string; reader: { name?: { en: string } } | null }[];
    };
    let told = 0;
    const single = new Map(
      await Promise.all(PLACES.map(async (place) => [place, await answerOf(service(), `${place}, ON`)] as const)),
    );
    for (const [i, cells] of saved.entries()) {
      const own = ROWS[i]!.map((cell) => (cell.startsWith('=') ? `'${cell}` : cell));
      expect(cells.slice(0, 6), 'his own columns').to.deep.equal(own);
      const place = PLACES[i % PLACES.length]!;
      const { address, lat, lon, layers: values, evidence } = single.get(place)!;
      expect(cells.slice(6, 9)).to.deep.equal([place, 'Found', address]);
      expect(cells[9]).to.match(/within about \d/);
      expect(cells.slice(11, 13).map(Number)).to.deep.equal([lat, lon]);
      for (const [j, layer] of layers.filter(({ key }) => key in values).entries()) {
        expect(head![13 + j]).to.equal(layer.reader?.name?.en ?? layer.title);
        const cell = cells[13 + j]!;
        const { state, distanceM } = evidence[layer.key]!;
        if (state === 'absent') expect(cell, layer.key).to.match(/^(No|None)\b/);
        else if (state === 'present')
          expect(cell, layer.key)
            .to.match(/./)
            .and.not.to.match(/^(No$|None|Not known)/);
        else expect(cell, layer.key).to.match(/^Not known/);
        if (state !== 'present') continue;
        if (layer.kind === 'boolean') expect(cell).to.equal('Yes');
        const facts = layer.kind === 'proximity' ? distanceIn(distanceM) : factsIn(values[layer.key]);
        for (const fact of facts) expect(plain(cell), `${layer.key}: ${cell}`).to.contain(plain(fact));
        told += facts.length;
      }
    }
    expect(told, 'values and distances that the cells name').to.be.above(250);

    // A row opens its answer without a lookup, above the batch; so does a single lookup after it.
    const isAbove = () =>
      page.evaluate(
        () =>
          document.querySelector('#result')!.getBoundingClientRect().top <
          document.querySelector('#batch')!.getBoundingClientRect().top,
      );
    await page.locator('.batch-open').nth(1).click();
    await page.getByText('Row 2 of the file, opened without a lookup.').waitFor();
    expect(await page.textContent('#status')).to.contain('“Ask anew” gives them, for one lookup.');
    expect(await page.isVisible('#ask-anew')).to.equal(true);
    expect(await page.textContent('#resolved')).to.equal(single.get(PLACES[1]!)!.address);
    expect(await page.textContent('#tally')).to.match(/1 hazard: Mapped flood hazard/);
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('resolved');
    expect(await isAbove()).to.equal(true);
    expect(lookups).to.deep.equal([]);
    await search(page, COUNTRY, service().key);
    expect(await isAbove()).to.equal(true);
    expect(lookups).to.have.length(1);

    // An old refusal goes when a good file comes, a file that crosses itself is warned of, and its own buttons alone stand beside it.
    await page.click('#open-parcel');
    await choose(
      page,
      '#parcel-file',
      'utm.geojson',
      Buffer.from('{"type":"Polygon","crs":{"properties":{"name":"EPSG:26917"}}}'),
    );
    await page.getByText('It is in another coordinate system').waitFor();
    await choose(page, '#parcel-file', 'field.kml', Buffer.from(KML));
    await page.getByText(/^field.kml: a parcel of about [1-9][\d.]*\skm² with 4 corners/).waitFor();
    expect(await page.getByText('It is in another coordinate system').isVisible()).to.equal(false);
    expect(await page.textContent('#parcel-about')).to.contain('crosses itself');
    expect(await page.locator('#parcel button:visible').allTextContents()).to.deep.equal([
      'Ask for this parcel: 1 lookup',
    ]);
    expect(complaints).to.deep.equal([]);
  });
});
