/** Files of maps as the programs write them that make them, dropped on the page. None of them is made by code of ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { given } from '../../support/drivers/given.ts';
import { writeZip } from '../../support/material/zip.ts';
import type { Visit } from '../../support/drivers/browser.ts';
import { switchLanguage, violationsOf, withPage } from './visits.ts';

const OUTER = [[-79.319, 44.299], [-79.316, 44.299], [-79.316, 44.301], [-79.319, 44.301], [-79.319, 44.299]]; // prettier-ignore
const INNER = [[-79.318, 44.2995], [-79.317, 44.2995], [-79.317, 44.3005], [-79.318, 44.2995]]; // prettier-ignore
const inKml = (ring: readonly number[][], height = ',0'): string =>
  ring.map((one) => `${one.join(',')}${height}`).join(' ');

/** As Google Earth Pro saves a folder of "My Places". */
const GOOGLE_EARTH = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2" xmlns:kml="http://www.opengis.net/kml/2.2" xmlns:atom="http://www.w3.org/2005/Atom">
<Document>
	<name>Site visit.kml</name>
	<StyleMap id="msn_ylw-pushpin"><Pair><key>normal</key><styleUrl>#sn_ylw-pushpin</styleUrl></Pair></StyleMap>
	<Style id="sn_ylw-pushpin"><IconStyle><scale>1.1</scale></IconStyle><PolyStyle><color>7f0000ff</color></PolyStyle></Style>
	<Folder>
		<name>Site visit</name>
		<open>1</open>
		<Placemark>
			<name>North field</name>
			<description><![CDATA[<b>Visited</b> May 3 & 4]]></description>
			<styleUrl>#msn_ylw-pushpin</styleUrl>
			<Polygon>
				<tessellate>1</tessellate>
				<outerBoundaryIs><LinearRing><coordinates>
							${inKml(OUTER, ',231.5')}
						</coordinates></LinearRing></outerBoundaryIs>
			</Polygon>
		</Placemark>
		<Placemark id="0F3B5C6A">
			<name>Well</name>
			<LookAt><longitude>-79.3</longitude><latitude>44.3</latitude><altitude>0</altitude><range>900</range></LookAt>
			<Point><gx:drawOrder>1</gx:drawOrder><coordinates>-79.31741,44.29994,231.5</coordinates></Point>
		</Placemark>
		<Placemark><name>Fence</name><LineString><tessellate>1</tessellate><coordinates>${inKml(OUTER.slice(0, 2))}</coordinates></LineString></Placemark>
		<Placemark><name>Seen from above</name><LookAt><longitude>-79.3</longitude><latitude>44.3</latitude></LookAt></Placemark>
		<GroundOverlay><name>Old survey</name><Icon><href>files/survey.jpg</href></Icon><LatLonBox><north>44.31</north><south>44.29</south><east>-79.3</east><west>-79.33</west></LatLonBox></GroundOverlay>
		<NetworkLink><name>More</name><Region><LatLonAltBox><north>45</north><south>44</south><east>-79</east><west>-80</west></LatLonAltBox></Region><Link><href>http://example.org/more.kml</href></Link></NetworkLink>
	</Folder>
</Document>
</kml>
`;

const QGIS_FIELDS = `<Schema name="parcels" id="parcels">
	<SimpleField name="ARN" type="int"></SimpleField>
	<SimpleField name="VACANT" type="bool"></SimpleField>
</Schema>`;
const qgisRow = (arn: string, more: string): string => `  <Placemark id="parcels.${arn.slice(-1)}">
	<Style><LineStyle><color>ff0000ff</color></LineStyle><PolyStyle><fill>0</fill></PolyStyle></Style>
	<ExtendedData><SchemaData schemaUrl="#parcels">
		<SimpleData name="ARN">${arn}</SimpleData>
		<SimpleData name="VACANT">0</SimpleData>
	</SchemaData></ExtendedData>
      ${more}
  </Placemark>`;

/** As QGIS saves a layer by GDAL. */
const QGIS = `<?xml version="1.0" encoding="utf-8" ?>
<kml xmlns="http://www.opengis.net/kml/2.2">
<Document id="root_doc">
${QGIS_FIELDS}
<Folder><name>parcels</name>
${qgisRow('1908054290001234567', `<MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>${inKml(OUTER, '')}</coordinates></LinearRing></outerBoundaryIs><innerBoundaryIs><LinearRing><coordinates>${inKml(INNER, '')}</coordinates></LinearRing></innerBoundaryIs></Polygon></MultiGeometry>`)}
${qgisRow('1908054290001234568', `<MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>${inKml(INNER, '')}</coordinates></LinearRing></outerBoundaryIs></Polygon><Polygon><outerBoundaryIs><LinearRing><coordinates>${inKml(OUTER, '')}</coordinates></LinearRing></outerBoundaryIs></Polygon></MultiGeometry>`)}
</Folder>
</Document></kml>
`;

/** As ArcGIS writes "Layer to KML": each outline with the point of its label. */
const ARCGIS = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/kml/2.2 http://schemas.opengis.net/kml/2.2.0/ogckml22.xsd">
<Document id="Parcels"><name>Parcels</name><Snippet></Snippet><Folder id="FeatureLayer0"><name>Parcels</name>
<Placemark id="ID_00000"><name>PIN 03600-0123</name><Snippet></Snippet><description><![CDATA[<html><body><table><tr><td>PIN</td></tr></table></body></html>]]></description><styleUrl>#PolyStyle00</styleUrl>
<MultiGeometry><Point><extrude>0</extrude><altitudeMode>clampToGround</altitudeMode><coordinates>-79.3175,44.3,0</coordinates></Point><Polygon><extrude>0</extrude><altitudeMode>clampToGround</altitudeMode><outerBoundaryIs><LinearRing><coordinates> ${inKml(OUTER)}</coordinates></LinearRing></outerBoundaryIs></Polygon></MultiGeometry></Placemark>
</Folder></Document></kml>
`;

/** With a prefix for each name, the inner ring first, and blanks behind the commas. */
const UNUSUAL = `<?xml version="1.0" encoding="UTF-8"?>
<kml:kml xmlns:kml="http://www.opengis.net/kml/2.2"><kml:Placemark><kml:name>Odd</kml:name><kml:Polygon>
<kml:innerBoundaryIs><kml:LinearRing><kml:coordinates>${INNER.map((one) => one.join(', ')).join('\n')}</kml:coordinates></kml:LinearRing></kml:innerBoundaryIs>
<kml:outerBoundaryIs><kml:LinearRing><kml:coordinates>${OUTER.map((one) => one.join(', ')).join('\n')}</kml:coordinates></kml:LinearRing></kml:outerBoundaryIs>
</kml:Polygon></kml:Placemark></kml:kml>`;

const POLYGON = { type: 'Polygon', coordinates: [OUTER] };
const inGeojson = (...geometries: unknown[]) => ({
  type: 'FeatureCollection',
  features: geometries.map((geometry, i) => ({ type: 'Feature', properties: { PIN: `P-${i + 1}` }, geometry })),
});
/** A text, and how many blanks are behind it. */
type Long = readonly [string, number];

const POINT = { type: 'Point', coordinates: [-79.31741, 44.29994] };

given('areas', 'batches').describe('The page, for files of maps', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  let opened: Visit;
  before(async () => {
    opened = await open();
    await opened.page.fill('#key', service().key);
  });

  const choose = (name: string, content: string | Buffer) =>
    opened.page.setInputFiles('#parcel-file', {
      ...{ name, mimeType: 'application/octet-stream' },
      buffer: Buffer.from(content as string),
    });
  /** As `choose`, a text with so many blanks behind it: the page makes them, because to hand millions over takes it a second. */
  const chooseLong = (name: string, [text, blanks]: Long) =>
    opened.page.evaluate(
      ([fileName, begin, more]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([begin, ' '.repeat(more)], fileName));
        const field = document.querySelector<HTMLInputElement>('#parcel-file')!;
        field.files = transfer.files;
        field.dispatchEvent(new Event('change'));
      },
      [name, text, blanks] as const,
    );
  const statusIs = (page: Page, words: string) =>
    page.waitForFunction((text) => document.getElementById('status')?.textContent.includes(text), words);
  /** What is said of a file that is understood. */
  async function told(name: string, content: string | Buffer): Promise<string> {
    await choose(name, content);
    await opened.page.locator('#parcel-about p').filter({ hasText: name }).waitFor();
    return (await opened.page.locator('#parcel-about p').allTextContents()).join('\n');
  }
  /** The rows that are made of a file: what each is called, and what it asks for. */
  async function eachRow(): Promise<string[][]> {
    const { page } = opened;
    await page.click('#parcel-each');
    await page.waitForSelector('#batch-send');
    const head = await page.locator('#batch-body th').allTextContents();
    const rows = await page.locator('#batch-body tbody tr').all();
    const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()));
    return [head, ...cells];
  }
  /** The outline that is asked for. */
  async function asked(): Promise<unknown> {
    const [request] = await Promise.all([
      opened.page.waitForRequest('**/api/lookup/area**'),
      opened.page.click('#parcel-together'),
    ]);
    // The answer takes its place.
    await opened.page.waitForSelector('#parcel', { state: 'hidden' });
    return (request.postDataJSON() as { readonly geometry: unknown }).geometry;
  }

  it('takes the outlines and the points of Google Earth, and says what it leaves out', async () => {
    const words = await told('Site visit.kml', GOOGLE_EARTH);
    expect(words).to.match(/^Site visit.kml has outlines \(1, together about 5\.3\d\sha\) and points \(1\)\./);
    expect(words).to.contain(
      'Left out: pictures (1), links to other files, or other files in it (1), lines, which have no area (1), features without a place (1).',
    );
    await switchLanguage(opened.page);
    await opened.page.getByText(/^Laissés de côté : images \(1\), liens vers d’autres fichiers/).waitFor();
    await switchLanguage(opened.page);
    expect(await violationsOf(opened.page)).to.deep.equal([]);
    expect(await eachRow()).to.deep.equal([
      ['row', 'custom_id', 'lat', 'lon', 'geometry'],
      ['1', 'North field', '', '', 'Polygon'],
      ['2', 'Well', '44.29994', '-79.31741', ''],
    ]);
    expect(await opened.page.textContent('#batch-cost')).to.contain('at most 2 lookups');
    expect(await asked(), 'without heights').to.deep.equal(POLYGON);
  });

  it('takes a layer of QGIS with its holes and parts, under roll numbers whose digits are whole', async () => {
    expect(await told('parcels.kml', QGIS)).to.match(/has 2 outlines, together about/);
    expect((await eachRow()).slice(1)).to.deep.equal([
      ['1', '1908054290001234567', 'Polygon'],
      ['2', '1908054290001234568', 'MultiPolygon'],
    ]);
    expect(await asked()).to.deep.equal({ type: 'MultiPolygon', coordinates: [[OUTER, INNER], [INNER], [OUTER]] });
  });

  it('takes KMZ, and names the labels beside outlines', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'parcels.kmz');
    // Another outline than before: an answer that the page has is not asked for again.
    const shifted = ARCGIS.replaceAll('44.301', '44.302');
    writeZip(file, {
      'Layer0.png': Buffer.from('x'),
      'doc.kml': Buffer.from(shifted),
      'more/b.kml': Buffer.from(QGIS),
    });
    const words = await told('parcels.kmz', readFileSync(file));
    expect(words).to.match(/^parcels.kmz: a parcel of about 7\.98\sha with 4 corners/);
    expect(words).to.contain(
      'Left out: links to other files, or other files in it (1), points and lines of features that have an outline (1).',
    );
    const taller = OUTER.map(([lon, lat]) => [lon, lat === 44.301 ? 44.302 : lat]);
    expect(await asked()).to.deep.equal({ type: 'Polygon', coordinates: [taller] });
    await told('renamed.zip', readFileSync(file));
    // As GDAL writes one: a document of links, and a file for each layer.
    const root =
      '<kml xmlns="http://www.opengis.net/kml/2.2"><Document id="root_doc"><NetworkLink><Link><href>layers/parcels%201.kml</href></Link></NetworkLink></Document></kml>';
    writeZip(file, { 'doc.kml': Buffer.from(root), 'layers/parcels 1.kml': Buffer.from(QGIS) });
    expect(await told('layers.kmz', readFileSync(file)))
      .to.match(/has 2 outlines/)
      .and.not.to.contain('Left out');
  });

  it('takes KMZ that is not compressed, and none whose bytes have changed', async () => {
    const { page } = opened;
    using folder = temporaryFolder();
    const file = join(folder.path, 'stored.kmz');
    // More bytes than one block of deflate may have.
    const long = QGIS.replace('</kml>', `<!--${'x'.repeat(140_000)}--></kml>`);
    for (const isStored of [true, false]) {
      writeZip(file, { 'doc.kml': Buffer.from(long) }, { isStored });
      const whole = readFileSync(file);
      expect(await told('stored.kmz', whole)).to.match(/has 2 outlines/);
      const changed = Buffer.from(whole);
      const at = isStored ? whole.indexOf('-79.316') + 5 : whole.indexOf('PK\u0001\u0002') + 16;
      changed[at]! ^= 1;
      await choose('changed.kmz', changed);
      await statusIs(page, 'changed.kmz is a map file (KMZ) that this page cannot read.');
    }
  });

  it('takes KML with prefixes, with the inner ring first, and with blanks behind its commas', async () => {
    await told('odd.kml', UNUSUAL);
    expect(await asked()).to.deep.equal({ type: 'Polygon', coordinates: [OUTER, INNER] });
  });

  it('takes GeoJSON with points and outlines, and says what it counts as equal or leaves out', async () => {
    const line = { type: 'LineString', coordinates: OUTER };
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4269' } };
    const mixed = { ...inGeojson(POINT, line, POLYGON, null), crs, exceededTransferLimit: true };
    const words = await told('mixed.geojson', JSON.stringify(mixed));
    expect(words).to.contain('Left out: lines, which have no area (1), features without a place (1).');
    expect(words).to.contain('NAD83, which counts as WGS 84').and.to.contain('says that it is not whole');
    expect((await eachRow()).slice(1)).to.deep.equal([
      ['1', 'P-1', '44.29994', '-79.31741', ''],
      ['2', 'P-3', '', '', 'Polygon'],
    ]);
    // Points of which nothing is to be said are rows at once, also as lines.
    await choose(
      'wells.geojsonl',
      inGeojson(POINT, POINT)
        .features.map((one) => JSON.stringify(one))
        .join('\n'),
    );
    await opened.page.getByText('wells: 2 rows').or(opened.page.getByText('wells.ndjson: 2 rows')).waitFor();
    expect(await told('well.json', JSON.stringify({ ...inGeojson(POINT), crs }))).to.match(
      /^well.json has points \(1\)/,
    );
    expect(await opened.page.locator('#parcel-about button').allTextContents()).to.deep.equal([
      'Look the point up: 1 lookup',
    ]);
    const turn = Array.from({ length: 3000 }, (_, i) => (i / 3000) * 2 * Math.PI);
    const circle = turn.map((angle) => [-79.3 + Math.cos(angle) / 1000, 44.3 + Math.sin(angle) / 1000]);
    const half = { type: 'Polygon', coordinates: [[...circle, circle[0]]] };
    expect(await told('large.json', JSON.stringify(inGeojson(half, half)))).to.contain('more than 5,000 corners');
    expect(await opened.page.locator('#parcel-about button').allTextContents()).to.deep.equal([
      'Look each up by itself: 2 lookups',
    ]);
  });

  it('says of everything else what it is, and what to do', async () => {
    const { page } = opened;
    using folder = temporaryFolder();
    const zipped = (...names: string[]): Buffer => {
      const file = join(folder.path, 'a.zip');
      writeZip(file, Object.fromEntries(names.map((name) => [name, Buffer.from('x')])));
      return readFileSync(file);
    };
    const polygon = JSON.stringify(POLYGON);
    const cases: readonly (readonly [string, string | Buffer | Long, string])[] = [
      ['utm.json', polygon.replaceAll('-79.', '6300').replaceAll('44.', '4900'), 'are not degrees, and may be metres'],
      ['utm17.json', `{"crs":{"type":"name","properties":{"name":"EPSG:26917"}},${polygon.slice(1)}`, 'It is in another coordinate system (EPSG:26917). Convert it'],
      ['cut.geojson', JSON.stringify(inGeojson(POLYGON)).slice(0, -9), 'is cut off or has a fault'],
      ['lines.geojson', JSON.stringify(inGeojson({ type: 'LineString', coordinates: OUTER })), 'There is no polygon in it, and no point. It has lines, which have no area (1).'],
      ['none.geojson', '{"type":"FeatureCollection","features":[]}', 'It has no features.'],
      ['turned.json', JSON.stringify({ type: 'Point', coordinates: [44.3, -79.3] }), 'Its latitudes come first.'],
      ['ring.json', JSON.stringify(inGeojson(POLYGON, { type: 'Polygon', coordinates: [OUTER.slice(0, 3)] })), 'The outline of feature 2 is not complete'],
      ['esri.json', '{"geometryType":"esriGeometryPolygon","features":[]}', 'It is JSON of Esri'],
      ['token.geojson', '{"error":{"code":499,"message":"Token Required"}}', 'refused to give one (499 Token Required)'],
      ['latin.geojson', Buffer.from(JSON.stringify({ ...POLYGON, name: 'Côté' }), 'latin1'), 'It is no text in UTF-8.'],
      ['large.geojson', [polygon, 6_200_000], 'large.geojson has 6.2 MB. The page reads outlines and points of up to 5 MB'],
      ['large.kml', [QGIS, 6_000_000], 'large.kml has 6 MB.'],
      ['bomb.kmz', (writeZip(join(folder.path, 'bomb.kmz'), { 'doc.kml': Buffer.alloc(6_000_000, ' ') }), readFileSync(join(folder.path, 'bomb.kmz'))), 'bomb.kmz has more than 5 MB when it is unpacked'],
      ['empty.kml', '', 'empty.kml has nothing in it.'],
      ['broken.kml', GOOGLE_EARTH.slice(0, -40), 'broken.kml is no readable KML.'],
      ['ring.kml', QGIS.replace(inKml(OUTER, ''), inKml(OUTER.slice(0, 2), '')), 'has a position or an outline that is not complete'],
      ['position.kml', QGIS.replace('-79.316,44.299', '-79.316'), 'has a position or an outline that is not complete'],
      ['outers.kml', UNUSUAL.replaceAll('innerBoundaryIs', 'outerBoundaryIs'), 'or an outline with several outer rings'],
      ['inner.kml', UNUSUAL.replaceAll('outerBoundaryIs', 'innerBoundaryIs'), 'has a position or an outline that is not complete'],
      ['point.kml', GOOGLE_EARTH.replace('-79.31741,44.29994,231.5', '-79.31741,44.29994,231.5 -79.3,44.3,0'), 'has a position or an outline that is not complete'],
      ['twice.kml', GOOGLE_EARTH.replace('</coordinates></LinearRing>', '</coordinates><coordinates>-79,44</coordinates></LinearRing>'), 'has a position or an outline that is not complete'],
      ['links.kml', '<kml><NetworkLink><Link><href>a.kml</href></Link></NetworkLink></kml>', 'It has links to other files, or other files in it (1).'],
      ['parcels.zip', zipped('parcels.shp', 'parcels.dbf'), 'parcels.zip is a map file (Shapefile (.zip)) that this page cannot read. Save it as GeoJSON'],
      ['land.zip', zipped('land.gdb/a00000001.gdbtable'), 'is a map file (File Geodatabase (.zip))'],
      ['land.gpx', 'x', 'land.gpx is a map file (GPX) that this page cannot read. Save it as GeoJSON'],
      ['land.zip', 'x', 'land.zip is an archive. Unpack it'],
      ['land.xlsx', 'x', 'land.xlsx is a spreadsheet. Save its sheet as CSV'],
      ['list.csv', zipped('[Content_Types].xml', 'xl/workbook.xml'), 'list.csv is a spreadsheet. Save its sheet as CSV'],
      ['some.zip', zipped('parcels.geojson'), 'some.zip is an archive. Unpack it'],
      ['cut.kmz', zipped('doc.kml').subarray(0, 40), 'cut.kmz is an archive.'],
      ['land.dat', 'SQLite format 3\0\u0010\0', 'land.dat is a map file (GeoPackage, SQLite)'],
      ['list.txt', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'list.txt is a spreadsheet.'],
      ['page.geojson', '<!DOCTYPE html><html><title>Sign in</title>', 'page.geojson is a web page'],
      ['lfs.geojson', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n', 'only stands for a file (Git LFS)'],
    ]; // prettier-ignore
    for (const [name, content, words] of cases) {
      await (content instanceof Array ? chooseLong(name, content) : choose(name, content));
      await statusIs(page, words);
      expect(await page.isVisible('#parcel-shown'), name).to.equal(false);
    }
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      for (const name of ['a.csv', 'b.csv']) dataTransfer.items.add(new File(['address\n1 A St'], name));
      document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
    });
    await statusIs(page, 'These are several files, and none was read.');
    // The browser's own note on broken XML has a style, which the page forbids.
    expect(opened.complaints.filter((one) => !one.includes('Applying inline style'))).to.deep.equal([]);
  });
});
