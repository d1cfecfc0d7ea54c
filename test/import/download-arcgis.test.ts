import { expect } from 'chai';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DownloadedFeature } from '../../src/messages/import.ts';
import { downloadLayer } from '../../src/features/download/download-layer.ts';
import type { RetryPolicy } from '../../src/core/outbound/retry.ts';
import { surveyLayer, type LayerSurvey } from '../../src/features/download/survey-layer.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { readChunk } from '../../workers/import/features/prepare-batch.ts';
import { faultKinds, firstFaults, noFaults, randomFaults } from '../support/doubles/arcgis/faults.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { square } from '../support/material/sources.ts';

const SERVICE = 'LIO_OPEN_DATA/LIO_Open06/MapServer';

/** Quick enough for tests: a fault costs milliseconds. */
const options = { retry: { attempts: 8, firstMs: 5, mostMs: 20 }, idleMs: 300, parallel: 3 };

const wanted = {
  geometry: 'polygon',
  fields: { NAME: { type: 'string', required: true }, NOTE: { type: 'string', required: false } },
  rename: {},
} as const;

function features(count: number): DownloadedFeature[] {
  return Array.from({ length: count }, (_, i) => ({
    attributes: { NAME: `n${i + 1}`, OTHER: 'x', SYSTEM_DATETIME: 1_600_000_000_000 + i },
    geometry: i === 5 ? null : { type: 'Polygon', coordinates: [square(-80 + i * 0.01, 44, 0.01)] },
  }));
}

function layer(given: Partial<ServedLayer> = {}): ServedLayer {
  return {
    service: SERVICE,
    id: 15,
    name: 'Greenbelt Designation',
    geometry: 'polygon',
    fields: [
      { name: 'NAME', type: 'esriFieldTypeString' },
      { name: 'OTHER', type: 'esriFieldTypeString' },
      { name: 'SYSTEM_DATETIME', type: 'esriFieldTypeDate' },
    ],
    features: features(100),
    maxRecordCount: 10,
    ...given,
  };
}

/** A server with one layer, and a folder to download it into. */
async function serving(given: Partial<ServedLayer> = {}, retry: RetryPolicy = options.retry) {
  const folder = temporaryFolder();
  const server = await ArcgisServer.start([layer(given)]);
  const target = join(folder.path, 'layer');
  const address = { server: server.url, service: SERVICE, names: ['GREENBELT designation'], layerIdHint: null };
  const survey = (over: object = {}) => surveyLayer({ ...address, ...over }, wanted, target, options);
  const download = async (surveyed?: LayerSurvey) => {
    let bytes = 0;
    const plan = await downloadLayer(surveyed ?? (await survey()), {
      ...options,
      retry,
      onFeatures: (_, came) => {
        bytes += came;
      },
    });
    return { plan, bytes };
  };
  return {
    server,
    target,
    survey,
    download,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Names of the features on the disk, in order. */
function stored(folder: string): unknown[] {
  const columns = [{ name: 'NAME', type: 'string' }] as const;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .sort()
    .flatMap((name) => [...readChunk({ file: join(folder, name), attributes: ['NAME'] }, columns)])
    .flatMap(({ values }) => values.map(([value]) => value));
}

const allNames = features(100).map(({ attributes }) => attributes['NAME']);

const failureOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (cause) {
    return String(cause);
  }
  throw new Error('it did not fail');
};

describe('download of an ArcGIS layer', function () {
  this.timeout(240_000);

  it('finds the layer by its name and fetches every feature once, in order, by chunks of ids', async () => {
    await using given = await serving();
    const { plan } = await given.download();
    expect(plan).to.include({ featureCount: 100, idsPerChunk: 10, vanished: 0 });
    expect(stored(given.target)).to.deep.equal(allNames);
    const queries = given.server.requests.filter(({ query }) => query.has('objectIds'));
    expect(queries).to.have.length(10);
    for (const { query } of queries) {
      expect(query.get('outFields')).to.equal('OBJECTID,NAME');
      expect(query.get('outSR')).to.equal('4269');
      expect(query.get('f')).to.equal('json');
      // Simplification and rounding move borders.
      expect([...query.keys()]).to.not.include.members(['maxAllowableOffset']);
      expect([...query.keys()]).to.not.include.members(['geometryPrecision']);
    }
  });

  it('takes the first name that is there', async () => {
    await using given = await serving();
    const survey = await given.survey({ names: ['Greenbelt Area', 'Greenbelt Designation', 'Other'] });
    expect(survey.layer.url).to.match(/\/15$/);
  });

  describe('of an unknown name', () => {
    const renamed = { name: 'Designation of the Greenbelt' };

    it('takes the hinted id when the layer there fits', async () => {
      await using given = await serving(renamed);
      const survey = await given.survey({ layerIdHint: 15 });
      expect(survey.layer.name).to.equal(renamed.name);
      expect(survey.foundBy).to.equal('id');
    });

    const others: Record<string, { served?: Partial<ServedLayer>; over?: object; says: RegExp }> = {
      'is of another geometry type': { served: { geometry: 'line' }, says: /nor does the layer .* fit: .* type line/ },
      'lacks a required field': {
        served: { fields: [{ name: 'NOTE', type: 'esriFieldTypeString' }] },
        says: /it has: 15 Designation of the Greenbelt; nor .* fit: .* has no field "NAME"; it has: OBJECTID, NOTE/,
      },
      'is the layer of another data set': {
        over: { otherNames: ['Designation of the GREENBELT'] },
        says: /has no layer named "GREENBELT designation"; it has: 15 Designation of the Greenbelt$/,
      },
      'stands in a folder, where ids mean nothing': { over: { service: 'LIO_OPEN_DATA' }, says: /has no layer named/ },
    };
    for (const [what, { served, over, says }] of Object.entries(others))
      it(`refuses the hinted id when the layer there ${what}`, async () => {
        await using given = await serving({ ...renamed, ...served });
        expect(await failureOf(given.survey({ layerIdHint: 15, ...over }))).to.match(says);
      });

    it('takes the id that the operator gives, whatever the names say', async () => {
      await using given = await serving(renamed);
      given.server.layers = [layer(), layer({ ...renamed, id: 99 })];
      const survey = await given.survey({ layerId: 99 });
      expect(survey.layer.name).to.equal(renamed.name);
      expect(survey.foundBy).to.equal('operator');
      expect(await failureOf(given.survey({ layerId: 7 }))).to.match(/no layer with the id 7; it has: 15 .*, 99 /);
    });
  });

  it('asks for less at once when long lists never come, and remembers it', async () => {
    await using given = await serving({ mostPerPage: 3 });
    await given.download();
    expect(stored(given.target)).to.deep.equal(allNames);
    const asked = given.server.requests.flatMap(({ query }) => query.get('objectIds')?.split(',').length ?? []);
    // Three requests are under way at once before the first silence tells.
    expect(asked.filter((count) => count > 3).length).to.be.lessThan(20);
  });

  it('fetches anew what lies on the disk in another CRS', async () => {
    await using given = await serving();
    const { plan } = await given.download();
    expect(plan.crs).to.equal('EPSG:4269');
    given.server.layers = [layer({ wkid: 4326 })];
    expect((await given.survey()).state).to.equal('new');
  });

  it('refuses coordinates of another CRS than it asked for', async () => {
    await using given = await serving({ sentWkid: 3857 });
    expect(await failureOf(given.download())).to.match(/sent coordinates of the CRS EPSG:3857 instead of EPSG:4269/);
  });

  it('asks for the features that a condition chooses', async () => {
    await using given = await serving();
    await given.survey({ where: "NAME <> 'n1'" });
    const asked = given.server.requests.flatMap(({ query }) => query.get('where') ?? []);
    expect(new Set(asked)).to.deep.equal(new Set(["NAME <> 'n1'"]));
    expect(asked).to.have.length(3);
  });

  it('searches the services of a folder', async () => {
    await using given = await serving();
    const survey = await given.survey({ service: 'LIO_OPEN_DATA' });
    expect(survey.layer.url).to.equal(`${given.server.url}/${SERVICE}/15`);
  });

  for (const kind of faultKinds) {
    it(`gets everything in spite of: ${kind}`, async () => {
      await using given = await serving();
      given.server.faults = firstFaults(kind, 2);
      await given.download();
      expect(stored(given.target)).to.deep.equal(allNames);
    });
  }

  it('gets everything when half of all queries go wrong, each in another way', async () => {
    await using given = await serving();
    given.server.faults = randomFaults(
      seededRandom(7),
      0.5,
      faultKinds.filter((kind) => kind !== 'silence'),
    );
    await given.download();
    expect(stored(given.target)).to.deep.equal(allNames);
  });

  it('puts the rings of polygons in order', async () => {
    const shell = [...square(-80, 44, 1)];
    const coordinates = [[shell, square(-79.8, 44.2, 0.2)], [square(-79.7, 44.3, 0.02)], [square(-78, 44, 0.5)]];
    const nested: DownloadedFeature = {
      attributes: { NAME: 'nested' },
      geometry: { type: 'MultiPolygon', coordinates },
    };
    await using given = await serving({ features: [nested, ...features(20)] });
    await given.download();
    expect(areas(given.target)[0]).to.equal((1 - 0.2 ** 2 + 0.02 ** 2 + 0.5 ** 2).toFixed(9));
  });

  it('waits as long as the server asks', async () => {
    await using given = await serving({ features: features(5) });
    let asked = 0;
    given.server.faults = (query) => (query.has('objectIds') && asked++ === 0 ? 'status 503' : null);
    given.server.retryAfterS = 1;
    const startMs = performance.now();
    await given.download();
    expect(performance.now() - startMs).to.be.greaterThan(1000);
  });

  it('goes on where it stopped, and fetches nothing twice', async () => {
    await using given = await serving();
    given.server.faults = (query) => (asksFor(query, 61) ? 'error in 200' : null);
    expect(await failureOf(given.download())).to.match(
      /query: the server reports 500: Error performing query operation/,
    );
    const before = stored(given.target);
    expect(before.length).to.be.greaterThan(0);
    given.server.faults = () => null;
    given.server.requests.length = 0;
    const survey = await given.survey();
    expect(survey.state).to.equal('resumed');
    await given.download(survey);
    expect(stored(given.target)).to.deep.equal(allNames);
    const again = given.server.requests.flatMap(({ query }) => query.get('objectIds')?.split(',') ?? []);
    expect(again).to.have.length(100 - before.length);
  });

  it('survives a restart of the server', async () => {
    // Jitter may make every wait short: together they must outlast the restart with certainty, not mostly.
    await using given = await serving({}, { attempts: 100, firstMs: 50, mostMs: 100 });
    given.server.faults = () => 'slow';
    const download = given.download();
    await sleep(150);
    await given.server.restart(30);
    await download;
    expect(stored(given.target)).to.deep.equal(allNames);
  });

  it('isolates a feature that the server cannot send, and names the failure', async () => {
    await using given = await serving();
    given.server.faults = (query) => (asksFor(query, 37) ? 'status 500' : null);
    expect(await failureOf(given.download())).to.match(/the server answered 500/);
    const asked = given.server.requests.map(({ query }) => query.get('objectIds'));
    expect(asked).to.include('37');
  });

  it('skips what has not changed since, and fetches what has', async () => {
    await using given = await serving();
    await given.download();
    expect((await given.survey()).state).to.equal('unchanged');
    given.server.layers = [layer({ features: features(100).map(edited(42)) })];
    const changed = await given.survey();
    expect(changed.state).to.equal('new');
    await given.download(changed);
    expect(stored(given.target)[41]).to.equal('edited');
  });

  it('goes by the edit date where the service has one, and reads again where nothing tells', async () => {
    await using dated = await serving({ editedMs: 1_700_000_000_000 });
    expect((await dated.download()).plan).to.include({ editedMs: 1_700_000_000_000 });
    expect((await dated.survey()).state).to.equal('unchanged');
    dated.server.layers = [layer({ editedMs: 1_700_000_000_001 })];
    expect((await dated.survey()).state).to.equal('new');

    await using silent = await serving({ hasStatistics: false });
    await silent.download();
    // Until an import has read it, it is what an interrupted run left.
    expect((await silent.survey()).state).to.equal('unchanged');
    (await silent.survey()).store.markUsed();
    expect((await silent.survey()).state).to.equal('new');
  });

  it('takes an unwell server for no change: what is on the disk stays', async () => {
    await using given = await serving();
    await given.download();
    given.server.faults = (query) => (query.has('outStatistics') ? 'status 503' : null);
    expect(await failureOf(given.survey())).to.match(/the server answered 503/);
    given.server.faults = noFaults;
    expect((await given.survey()).state).to.equal('unchanged');
  });

  it('accepts that a feature is deleted meanwhile, but not that one is withheld', async () => {
    await using given = await serving();
    const survey = await given.survey();
    given.server.layers = [layer({ features: features(99) })];
    const { plan } = await given.download(survey);
    expect(plan.vanished).to.equal(1);
    expect(stored(given.target)).to.deep.equal(allNames.slice(0, 99));

    await using stingy = await serving();
    stingy.server.faults = (query) => (asksFor(query, 7) ? 'empty page' : null);
    expect(await failureOf(stingy.download())).to.match(/lists 1 features that it does not send, such as 7/);
  });

  const misfits: Record<string, { given: Partial<ServedLayer>; over?: object; says: RegExp }> = {
    'has no layer of the name': {
      given: { name: 'Greenbelt Boundary' },
      says: /has no layer named "GREENBELT designation"; it has: 15 Greenbelt Boundary$/,
    },
    'lacks a required field': {
      given: { fields: [{ name: 'TITLE', type: 'esriFieldTypeString' }] },
      says: /"Greenbelt Designation"\) has no field "NAME"; it has: OBJECTID, TITLE, SHAPE/,
    },
    'holds lines instead of polygons': {
      given: { geometry: 'line' },
      says: /is of the geometry type line, not polygon/,
    },
    'has become empty': { given: { features: [] }, says: /has no features/ },
    'does not exist': {
      given: {},
      over: { service: 'LIO_OPEN_DATA/LIO_Open99/MapServer' },
      says: /the server reports 404/,
    },
  };
  for (const [what, { given: over, over: address, says }] of Object.entries(misfits)) {
    it(`says so when a service ${what}`, async () => {
      await using given = await serving(over);
      expect(await failureOf(given.survey(address))).to.match(says);
    });
  }

  const lies: Record<string, { otherwise: ArcgisServer['otherwise']; says: RegExp }> = {
    'cuts its list of object ids and its count alike': {
      otherwise: ({ objectIds, count, ...json }) => {
        if (objectIds) return { objectIds: objectIds.slice(0, 10), exceededTransferLimit: true };
        return count === undefined ? json : { count: 10, exceededTransferLimit: true };
      },
      says: /MapServer\/15 does not list all of its object ids/,
    },
    'has several features of one id': {
      otherwise: ({ features: sent, ...json }) => ({
        ...json,
        ...(sent
          ? { features: [...sent, { ...sent[0]!, attributes: { ...sent[0]!.attributes, NAME: 'other' } }] }
          : {}),
      }),
      says: /MapServer\/15 sent two features of the id 1 that differ/,
    },
    'leaves out a field': {
      otherwise: ({ features: sent, ...json }) => ({
        ...json,
        ...(sent
          ? { features: sent.map((one) => ({ ...one, attributes: { OBJECTID: one.attributes['OBJECTID'] } })) }
          : {}),
      }),
      says: /MapServer\/15 sent features without the field NAME/,
    },
    'names attributes by their aliases': {
      otherwise: ({ features: sent, ...json }) => ({
        ...json,
        ...(sent
          ? {
              fields: [{ name: 'NAME', alias: 'Official name' }],
              features: sent.map((one) => ({
                ...one,
                attributes: { OBJECTID: one.attributes['OBJECTID'], 'Official name': 'x' },
              })),
            }
          : {}),
      }),
      says: /MapServer\/15 sent features without the field NAME/,
    },
    'sends a geometry as a text': {
      otherwise: ({ features: sent, ...json }) => ({
        ...json,
        ...(sent ? { features: sent.map((one) => ({ ...one, geometry: JSON.stringify(one.geometry) })) } : {}),
      }),
      says: /sent a feature that cannot be read: a geometry that is no object: "\{/,
    },
    'writes the reference system of a geometry into it': {
      otherwise: ({ features: sent, ...json }) => ({
        ...json,
        ...(sent
          ? {
              features: sent.map((one) => ({
                ...one,
                geometry: { ...Object(one.geometry), spatialReference: { wkid: 3857 } } as object,
              })),
            }
          : {}),
      }),
      says: /sent coordinates of the CRS EPSG:3857 instead of EPSG:4269/,
    },
    'sends geometries of GeoJSON': {
      otherwise: ({ features: sent, ...json }) => ({
        ...json,
        ...(sent
          ? {
              features: sent.map((one) => ({
                ...one,
                geometry: { type: 'Polygon', coordinates: [square(-80, 44, 1)] },
              })),
            }
          : {}),
      }),
      says: /MapServer\/15 sent a feature that cannot be read: unknown kind of geometry: type, coordinates/,
    },
  };
  for (const [what, { otherwise, says }] of Object.entries(lies)) {
    it(`refuses a service that ${what}`, async () => {
      await using given = await serving();
      given.server.otherwise = otherwise;
      expect(await failureOf(given.download())).to.match(says);
    });
  }

  it('refuses a layer of which features are replaced while it is read, and begins anew', async () => {
    await using given = await serving();
    const survey = await given.survey();
    const halves = features(102)
      .slice(100)
      .map((one, i) => ({ ...one, attributes: { ...one.attributes, OBJECTID: 101 + i } }));
    given.server.layers = [layer({ features: [...features(99), ...halves] })];
    expect(await failureOf(given.download(survey))).to.match(
      /changed while it was read: features are gone, such as 100, and 2 are new/,
    );
    const again = await given.survey();
    expect(again.state).to.equal('new');
    await given.download(again);
    expect(stored(given.target)).to.deep.equal([...allNames.slice(0, 99), 'n101', 'n102']);
  });

  for (const maxRecordCount of [0, -1, 2.5]) {
    it(`gets everything from a service that allows ${maxRecordCount} features at a time`, async () => {
      await using given = await serving();
      given.server.otherwise = (json) => ('maxRecordCount' in json ? { ...json, maxRecordCount } : json);
      expect((await given.download()).plan.idsPerChunk).to.equal(1000);
      expect(stored(given.target)).to.deep.equal(allNames);
    });
  }

  it('says so when the object ids and the count differ', async () => {
    await using given = await serving();
    given.server.countOffset = 1;
    expect(await failureOf(given.survey())).to.match(/lists 100 object ids, but counts 101/);
  });

  it('begins anew when a plan cannot be read', async () => {
    await using given = await serving();
    await given.download();
    rmSync(join(given.target, 'plan.json'));
    expect((await given.survey()).state).to.equal('new');
  });
});

const asksFor = (query: URLSearchParams, id: number): boolean =>
  query.get('objectIds')?.split(',').includes(String(id)) === true;

const edited =
  (id: number) =>
  (feature: DownloadedFeature, i: number): DownloadedFeature =>
    i + 1 === id ? { ...feature, attributes: { NAME: 'edited', SYSTEM_DATETIME: 1_700_000_000_000 } } : feature;

/** Areas of the geometries on the disk, in square degrees. */
function areas(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .sort()
    .flatMap((name) => [...readChunk({ file: join(folder, name), attributes: [] }, [])])
    .flatMap(({ wkb, sizes }) => {
      let offset = 0;
      return sizes.map((size) => {
        const geometry = size === 0 ? null : gdal.Geometry.fromWKB(Buffer.from(wkb.subarray(offset, (offset += size))));
        return (geometry as { getArea?: () => number } | null)?.getArea?.().toFixed(9) ?? 'none';
      });
    });
}
