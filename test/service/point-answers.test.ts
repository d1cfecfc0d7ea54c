/** Lookups by coordinates through the whole service on the bundled sample: HTTP, pool, GDAL. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { LookupPool } from '../../src/core/pool/lookup-pool.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';
import type { FullPointLookupBody } from '../../src/messages/wire/point-lookup.ts';
import { snapshotsFolder } from '../../src/core/snapshots/folders.ts';
import { sampleAddresses } from '../tools/draw-examples.ts';
import { given } from '../support/drivers/given.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { shareSampleService, type KeyedService } from '../support/drivers/sample-service.ts';
import { storeSample } from '../support/material/snapshot-copies.ts';

describe('a lookup of a point', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });

  const post = (path: string, body: object): Promise<Response> =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const fullPoint = async (body: object): Promise<FullPointLookupBody> =>
    (await post('/api/lookup/point?detail=full', body)).json() as Promise<FullPointLookupBody>;
  const full = async (address: string): Promise<FullLookupBody> =>
    (await post('/api/lookup?detail=full', { address })).json() as Promise<FullLookupBody>;

  it('answers as a lookup of the address there does, and names an address that a lookup finds', async () => {
    for (const text of sampleAddresses()) {
      const { geocode, ...expected } = await full(text);
      const { lat, lon, uncertaintyM } = geocode;
      const { geocode: found, address, ...answered } = await fullPoint({ lat, lon, uncertaintyM });
      expect({ ...answered, address: expected.address }, text).to.deep.equal(expected);
      expect(found, text).to.include({ address, lat, lon, accuracy: 'point', uncertaintyM, addressState: 'present' });
      if (geocode.accuracy === 'building') expect(found.addressDistanceM, text).to.equal(0);
      const again = await full(address!);
      expect([again.address, again.geocode.components], text).to.deep.equal([address, found.components]);
    }
  });

  it('says the same without the detail, byte for byte as JSON.stringify would', async () => {
    for (const place of [
      { lat: 44.2997, lon: -79.3172 },
      { lat: 44.350001, lon: -79.41 },
    ]) {
      const { address, lat, lon, layers, dataAsOf } = await fullPoint(place);
      const plain = await post('/api/lookup/point', place);
      expect(await plain.text()).to.equal(JSON.stringify({ address, lat, lon, layers, dataAsOf }));
    }
  });

  it('names no address where the register has none within 100 m', async () => {
    const { address, geocode } = await fullPoint({ lat: 44.0101, lon: -79.7 });
    expect(address).to.equal(null);
    expect(geocode).to.include({ address: null, addressState: 'absent', addressDistanceM: null, components: null });
  });

  it('counts an answer as near a boundary when the uncertainty reaches it', async () => {
    const place = { lat: 44.299943, lon: -79.317405 };
    const { evidence } = await fullPoint(place);
    const [key, { boundaryDistanceM }] = Object.entries(evidence).find(
      ([, { boundaryDistanceM: metres }]) => metres !== null && metres > 1,
    )!;
    for (const [uncertaintyM, isNear] of [
      [0, false],
      [boundaryDistanceM! - 0.5, false],
      [boundaryDistanceM! + 0.5, true],
    ] as const) {
      expect((await fullPoint({ ...place, uncertaintyM })).evidence[key]!.nearBoundary, key).to.equal(isNear);
    }
  });

  given('maps').it('gives the features near by with geometry=near', async () => {
    const place = { lat: 44.299943, lon: -79.317405 };
    const answer = await post('/api/lookup/point?detail=full&geometry=near', place);
    const { geometry } = (await answer.json()) as FullPointLookupBody;
    expect(geometry!.features).not.to.be.empty;
  });

  it('refuses places outside Ontario with 422, the poles among them', async () => {
    for (const [lat, lon] of [
      [45.5, -73.55],
      [0, 0],
      [90, 0],
      [-90, 0],
      [44, 180],
      [-44, -180],
    ] as const) {
      const response = await post('/api/lookup/point', { lat, lon });
      expect(response.status, `${lat}, ${lon}`).to.equal(422);
      expect(await response.json()).to.include({ code: 'OUTSIDE_ONTARIO', reason: 'OUT_OF_AREA' });
    }
  });

  it('says so when the latitude and the longitude are exchanged, or the longitude is positive', async () => {
    const told = async (lat: number, lon: number): Promise<readonly [string, string | undefined]> => {
      const response = await post('/api/lookup/point', { lat, lon });
      const { detail, hint } = (await response.json()) as { detail: string; hint?: string };
      return [detail, hint];
    };
    expect(await told(-79.38, 43.65)).to.deep.equal([
      'the place is outside Ontario: its latitude and longitude are exchanged',
      'EXCHANGED',
    ]);
    expect(await told(43.65, 79.38)).to.deep.equal([
      'the place is outside Ontario: its longitude is positive, and in Ontario it is negative',
      'POSITIVE_LONGITUDE',
    ]);
    expect(await told(79.38, 43.65)).to.deep.equal([
      'the place is outside Ontario: its latitude and longitude are exchanged, and its longitude is not negative',
      'EXCHANGED_POSITIVE',
    ]);
    expect(await told(45.5, -73.55)).to.deep.equal(['the place is outside Ontario', undefined]);
  });
});

describe('a lookup of a point on an older snapshot', function () {
  this.timeout(240_000);
  const place = { kind: 'point', full: true, lat: 44.299943, lon: -79.317405 } as const;

  /** Answers from a copy of the sample whose GeoPackage a statement has changed. */
  async function geocodeAfter(sql: string): Promise<unknown> {
    using folder = temporaryFolder();
    const snapshotDir = join(snapshotsFolder(folder.path), storeSample(folder.path, 1));
    const db = new Database(join(snapshotDir, 'land.gpkg'));
    db.exec(sql);
    db.close();
    const catalogue = readCatalogue(join(projectDir, 'layers'));
    await using pool = await LookupPool.start({
      snapshotDir,
      catalogue,
      threads: 1,
      deadlineMs: 120_000,
      startsLate: true,
    });
    return (JSON.parse((await pool.lookup(place)).json) as FullPointLookupBody).geocode;
  }

  it('names no address and says that it does not know, but answers the layers', async () => {
    const older = `UPDATE gazetteer_directory SET data = CAST(json_remove(CAST(data AS TEXT), '$.near') AS BLOB);
      DROP TABLE gazetteer_near; DELETE FROM gpkg_contents WHERE table_name = 'gazetteer_near'`;
    expect(await geocodeAfter(older)).to.include({
      address: null,
      addressState: 'unavailable',
      addressDistanceM: null,
    });
    expect(await geocodeAfter('SELECT 1')).to.include({ addressState: 'present' });
  });
});
