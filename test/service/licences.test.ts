import { expect } from 'chai';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { describeLicences } from '../../src/core/layers/describe-licences.ts';
import { projectDir } from '../../src/project/project.ts';
import type { DataSetRecord, GazetteerRecord, SnapshotManifest } from '../../src/messages/manifest.ts';
import type { LicencesBody } from '../../src/messages/wire/licences.ts';
import { openSocket, readToEnd } from '../support/drivers/client-socket.ts';
import { startFrontEnd } from '../support/drivers/front-end.ts';
import { shareSampleService } from '../support/drivers/sample-service.ts';
import { given } from '../support/drivers/given.ts';

const LINK = '</licences>; rel="license"';
const catalogue = readCatalogue(`${projectDir}/layers`);
const OGL = 'Contains information licensed under the Open Government Licence – Ontario.';

const record = (attribution: string, sample = false): DataSetRecord =>
  ({ attribution, sample, asOf: '2026-01-02', coverage: 'province', featureCount: 1 }) as unknown as DataSetRecord;

const register = {
  ...{ title: 'National Address Register', publisher: 'Statistics Canada', licence: 'Statistics Canada Open Licence' },
  ...{ attribution: 'Adapted from Statistics Canada, <2026>.', asOf: '2026-06-26', sample: false },
} as GazetteerRecord;

const manifest: SnapshotManifest = {
  ...{ format: 1, id: 'snap', createdAt: '2026-01-01T00:00:00.000Z', sample: true, definitions: '' },
  checksum: { file: 'land.gpkg', sha256: '', bytes: 0 },
  dataSets: {
    ansi: record(OGL),
    flood_hazard: record('Contains <b>information</b> of & by "authorities".'),
    greenbelt: record(OGL),
    wetland: record('whatever', true),
  },
  gazetteer: register,
  cells: null,
};

describe('The licences of a snapshot', () => {
  it('are each stated once, for the data that is loaded, in the words of its import', () => {
    const { snapshot, statements } = describeLicences(catalogue, manifest);
    expect(snapshot).to.deep.equal({ id: 'snap', createdAt: manifest.createdAt, sample: true });
    expect(
      statements.map(({ licence, attribution, data }) => [licence?.id, attribution, data.map(({ id }) => id)]),
    ).to.deep.equal([
      ['OGL-ON-1.0', OGL, ['ansi', 'greenbelt']],
      [
        'open data licences of the conservation authorities',
        'Contains <b>information</b> of & by "authorities".',
        ['flood_hazard'],
      ],
      [undefined, 'Hand-drawn sample data, not real', ['wetland']],
      ['Statistics Canada Open Licence', 'Adapted from Statistics Canada, <2026>.', ['addresses']],
    ]);
    expect(statements[0]!.data[1]).to.include({
      asOf: '2026-01-02',
      title: catalogue.dataSets.find(({ id }) => id === 'greenbelt')!.title,
    });
  });

  it('are a page in French to a browser that prefers it', async () => {
    await using front = await startFrontEnd({ manifest });
    const headers = { Accept: 'text/html', 'Accept-Language': 'fr-CA, en;q=0.5' };
    const answer = await fetch(`${front.url}/licences`, { headers });
    expect(answer.headers.get('vary')).to.contain('Accept-Language');
    const html = await answer.text();
    expect(html).to.contain('<html lang="fr">').and.to.contain('<h1>Licences des données</h1>');
    expect(html).to.contain(OGL);
  });

  it('are served as JSON, and as a page to a client that prefers one', async () => {
    await using front = await startFrontEnd({ manifest });
    for (const accept of ['application/json', '*/*', 'text/plain', 'application/json, text/html;q=0.5']) {
      const response = await fetch(`${front.url}/licences`, { headers: { accept } });
      expect([response.status, response.headers.get('content-type')], accept).to.deep.equal([200, 'application/json']);
      expect(response.headers.get('vary')).to.equal('Accept, Accept-Language, Accept-Encoding');
      expect(await response.json()).to.deep.equal(describeLicences(catalogue, manifest));
    }
    const page = await fetch(`${front.url}/licences`, {
      headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
    });
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'");
    const html = await page.text();
    expect(html).to.include(OGL).and.to.include('Adapted from Statistics Canada, &lt;2026&gt;.');
    expect(html).to.include('Contains &lt;b&gt;information&lt;/b&gt; of &amp; by &quot;authorities&quot;.');
    expect(html).to.include('<a href="https://www.ontario.ca/page/open-government-licence-ontario"');
    const posted = await fetch(`${front.url}/licences`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
  });

  it('name everything that the service on the sample has loaded', async () => {
    const service = await shareSampleService();
    const { statements } = (await (await fetch(`${service.url}/licences`)).json()) as LicencesBody;
    const named = statements.flatMap(({ data }) => data.map(({ id }) => id));
    expect(named).to.have.members([...catalogue.dataSets.map(({ id }) => id), 'addresses']);
  });
});

describe('Every answer', () => {
  given('page').it('links to the licences, whatever it says', async () => {
    const pool = { pending: 0 };
    await using front = await startFrontEnd({ maxPending: 3, pending: () => pool.pending });
    const get = (path: string, init: RequestInit = {}) => fetch(front.url + path, init);
    const address = { address: '100 Queen St W, Toronto, ON' };
    const answers: [number, Response][] = [
      [200, await front.post(address)],
      [400, await front.post({})],
      [401, await front.post(address, { authorization: 'Bearer x' })],
      [404, await get('/nothing')],
      [405, await get('/api/lookup')],
      ...(await Promise.all(
        ['/', '/licences', '/api/layers', '/openapi.json', '/docs', '/healthz', '/web/style.css'].map(
          async (path): Promise<[number, Response]> => [200, await get(path)],
        ),
      )),
    ];
    pool.pending = 3;
    answers.push([503, await front.post(address)]);
    const socket = await openSocket(front.url);
    socket.write('garbage\r\n\r\n');
    expect(await readToEnd(socket)).to.include(`Link: ${LINK}\r\n`);
    for (const [status, response] of answers) {
      expect([response.status, response.headers.get('link')], response.url).to.deep.equal([status, LINK]);
    }
  });
});
