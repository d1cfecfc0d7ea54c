import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { StoredExamples } from '../../../src/features/examples/stored-examples.ts';
import type { SnapshotService } from '../../../src/core/pool/snapshot-service.ts';
import { failFor } from '../../../src/messages/outcome.ts';
import type { ExampleLookupBody, ExamplesBody } from '../../../src/features/examples/wire.ts';
import { asSent } from '../../support/drivers/as-sent.ts';
import { openSnapshots } from '../../support/drivers/snapshots.ts';
import { capturingLogger, startFrontEnd } from '../../support/drivers/front-end.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';

const catalogue = readCatalogue(`${projectDir}/layers`);
type Snapshots = ConstructorParameters<typeof StoredExamples>[0]['snapshots'];
type LookupRows = Snapshots['pool']['lookupRows'];

const bodyOf = ({ content }: StoredExamples['all'][number]): ExampleLookupBody =>
  JSON.parse(content.bytes.toString()) as ExampleLookupBody;

describe('The examples', function () {
  this.timeout(60_000);
  let sample: SnapshotService;
  before(async () => {
    sample = await openSnapshots(sampleDataDir());
  });
  after(() => sample[Symbol.asyncDispose]());

  /** The sample's snapshot, with differences. */
  const like = ({
    manifest = sample.manifest,
    lookupRows = ofSample,
  }: Partial<Pick<Snapshots, 'manifest'> & Snapshots['pool']>): Snapshots => ({
    manifest,
    pool: { lookupRows },
  });
  const ofSample: LookupRows = (rows) => sample.pool.lookupRows(rows);
  const open = (snapshots: Snapshots, maps: object | null = {}): StoredExamples =>
    new StoredExamples({ snapshots, catalogue, maps, logger: capturingLogger().logger });
  async function made(examples: StoredExamples): Promise<StoredExamples['all']> {
    while (examples.all.length === 0) await sleep(10);
    return examples.all;
  }

  it('have the features near by where lookups give them, and else are the same without', async () => {
    const bodies = await Promise.all(
      [{}, null].map(async (maps) => {
        await using examples = open(like({}), maps);
        const [first] = await made(examples);
        const { example, ...body } = bodyOf(first!);
        expect(example).to.include({ outcome: 'hazard' });
        return body;
      }),
    );
    const { geometry, ...rest } = bodies[0]!;
    expect(geometry).to.be.an('object');
    expect(bodies[1]).to.deep.equal(rest);
  });

  it('are one for each outcome, each the answer of a lookup, and are no load for the lookups of clients', async () => {
    const pending: unknown[] = [];
    await using examples = open(
      like({
        lookupRows: (rows) => {
          const answers = ofSample(rows);
          pending.push(sample.pool.status.pending.plain, sample.pool.status.pending.costly);
          return answers;
        },
      }),
    );
    const all = await made(examples);
    expect(all.map(({ outcome, address }) => [outcome, address.split(',')[0]])).to.deep.equal([
      ['hazard', '4 Wharf Lane'],
      ['restriction', '13 Marsh Rd'],
      ['close', '4 Station St'],
      ['unknown', '14 rue Principale'],
      ['clear', '12 Main St W'],
    ]);
    expect(new Set(pending)).to.deep.equal(new Set([0]));
    for (const one of all) {
      const { example, ...body } = bodyOf(one);
      const { json } = await sample.pool.lookup({
        kind: 'address',
        address: one.address,
        full: true,
        geometry: 'near',
      });
      expect(body).to.deep.equal(JSON.parse(json));
      expect(example).to.include({ outcome: one.outcome, address: one.address });
      expect(Date.now() - Date.parse(example.madeAt)).to.be.within(0, 900_000);
    }
  });

  it('are of the register in service: city halls that it has, otherwise what it completes', async () => {
    const gazetteer = { ...sample.manifest.gazetteer!, sample: false };
    let lookups = 0;
    await using examples = open(
      like({
        manifest: { ...sample.manifest, gazetteer },
        lookupRows: (rows) => {
          lookups += rows.length;
          return ofSample(rows);
        },
      }),
    );
    const all = await made(examples);
    const outcomes = all.map(({ outcome }) => outcome);
    expect(new Set(outcomes).size).to.equal(outcomes.length);
    expect(outcomes).to.have.length.within(2, 5);
    for (const { address } of all) await sample.pool.lookup({ kind: 'address', address, full: false });
    expect(lookups).to.be.at.most(45);
  });

  it('are made again after a passing failure, and once for each snapshot', async () => {
    let failures = 0;
    let lookups = 0;
    const snapshots = {
      manifest: sample.manifest,
      pool: {
        lookupRows: (rows: Parameters<LookupRows>[0]) => {
          lookups++;
          // Refused, then lost with its thread, each at another row.
          if (lookups === 1) return Promise.resolve([failFor('OVERLOADED', `${++failures}`)]);
          if (lookups === 3) return Promise.reject(new Error(`${++failures}`));
          return ofSample(rows);
        },
      },
    };
    await using examples = open(snapshots);
    expect(examples.all).to.deep.equal([]);
    expect(await made(examples)).to.have.length(5);
    expect(failures).to.equal(2);
    const before = lookups;
    await sleep(2500);
    expect(lookups, 'once').to.equal(before);
    snapshots.manifest = { ...sample.manifest, id: 'another' };
    expect(examples.all, 'of a snapshot that is not in service any more').to.deep.equal([]);
  });

  it('are none without a register', async () => {
    await using examples = open(
      like({
        manifest: { ...sample.manifest, gazetteer: null },
        lookupRows: () => expect.fail('nothing to look up'),
      }),
    );
    await sleep(50);
    expect(examples.all).to.deep.equal([]);
  });

  it('are listed and served to anybody, and 304 to who has them', async () => {
    await using examples = open(like({}));
    const all = await made(examples);
    await using front = await startFrontEnd({ parts: { examples } });
    const listed = (await (await fetch(`${front.url}/api/examples`)).json()) as ExamplesBody;
    expect(listed.snapshot.id).to.equal(front.services.snapshots.manifest.id);
    expect(listed.examples).to.have.length(all.length);
    const [first] = listed.examples;
    const response = await fetch(front.url + first!.url);
    expect(await response.json()).to.deep.equal(bodyOf(all[0]!));
    const again = await asSent(front.url + first!.url, {
      headers: { 'if-none-match': response.headers.get('etag')! },
    });
    expect([again.status, again.bytes.length]).to.deep.equal([304, 0]);
    expect((await fetch(`${front.url}/api/examples/other`)).status).to.equal(404);
    expect((await fetch(`${front.url}/api/examples/hazard`, { method: 'POST' })).status).to.equal(405);
    const page = await (await fetch(`${front.url}/examples?lang=fr`)).text();
    expect(page).to.contain('<html lang="fr">').and.to.contain('<h2>4 Wharf Lane, Maple Sample, ON');
    expect(page).to.match(/Ici ou à proximité : [^<]*Zone inondable cartographiée/);
    expect(page).to.contain('href="/?lang=fr#address=4+Wharf+Lane%2C+Maple+Sample%2C+ON"');
    const html = await (await fetch(front.url, { headers: { 'accept-language': 'fr' } })).text();
    expect(html).to.contain('data-outcome="hazard"><span data-text="example_hazard">Un danger</span> 4 Wharf Lane');
    // In short, in both languages.
    const brief = /<section id="brief"[^>]*>(.*?)<\/section>/s.exec(html)![1]!;
    expect(brief).to.contain('>4 Wharf Lane, Maple Sample, ON').and.to.contain('data-outcome="hazard"');
    const [english, french] = ['en', 'fr'].map((lang) => new RegExp(`<ul lang="${lang}">(.*?)</ul>`).exec(brief)![1]!);
    expect(english).to.match(/^<li>Hazard: Mapped flood hazard<\/li>.*<li>Checked and not here: \d+<\/li>/);
    expect(french).to.match(/^<li>Danger : Zone inondable cartographiée<\/li>.*<li>Vérifiés, absents ici : \d+<\/li>/);
    const { evidence } = bodyOf(all[0]!);
    const absent = catalogue.answers.filter(({ answer }) => evidence[answer.key]!.state === 'absent');
    expect(english).to.contain(`not here: ${absent.length}<`);
  });

  it('leave no room where there are none, and the page says whom to ask for a key', async () => {
    const at = async (contact: string | null): Promise<string> => {
      await using front = await startFrontEnd({ contact });
      return await (await fetch(front.url)).text();
    };
    const html = await at('https://land.example/help');
    expect(html).to.match(/<section id="brief"[^>]*><\/section>/);
    expect(html).to.contain('<a href="https://land.example/help" data-text="askKey">Ask the operator for one</a>');
    expect(await at(null)).to.contain('data-text="askKey" hidden>');
  });
});
