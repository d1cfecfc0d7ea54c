/**
 * Real extracts of the province's data, fetched through an ArcGIS server that is not this project's (Koop) under the
 * province's names, against what SpatiaLite computes from the files (test/real/oracle.ts). `test/import/words-of-sources.test.ts`
 * and `test/import/kinds-of-features.test.ts` have the same cases drawn.
 */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { startKoop, type KoopLayer } from '../support/doubles/koop-server.ts';
import { Miniature, type Told } from '../support/material/miniature.ts';
import { province } from '../support/doubles/province/catalogue.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';
import { Oracle, type Place } from './oracle.ts';

const SEED = 20261124;
const PLACES = 500;

interface Extract {
  readonly file: string;
  /** Of the layer of the province that it is cut from. */
  readonly dataSet: string;
  readonly key: string;
  /** Field of the file -> that of the province's service. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Metres from the features within which places are asked for. */
  readonly aroundM: number;
}

const extracts: readonly Extract[] = [
  { file: 'wetland_haliburton.geojson', dataSet: 'wetland', key: 'wetlandProximity', aroundM: 200 },
  {
    ...{ file: 'ansi_haliburton.geojson', dataSet: 'ansi', key: 'ansi', aroundM: 1500 },
    rename: { NAME: 'ANSI_NAME', TYPE: 'CLASS_SUBTYPE', SIGNIFICANCE: 'ANSI_SIGNIFICANCE' },
  },
  {
    ...{ file: 'conservation_reserve_clear_lake.geojson', dataSet: 'conservation_reserve_regulated' },
    ...{ key: 'conservationReserve', aroundM: 1000 },
  },
  {
    ...{ file: 'aggregate_active_haliburton.geojson', dataSet: 'aggregate_site_active' },
    ...{ key: 'aggregateSiteProximity', aroundM: 700 },
  },
  {
    ...{ file: 'municipal_lower_single_orm_25.geojson', dataSet: 'municipal_lower_single' },
    ...{ key: 'municipality', aroundM: 3000 },
  },
];

interface Collection {
  readonly features: readonly KoopLayer['features'][number][];
}

describe('further extracts of the province, through a server that is not ours', function () {
  this.timeout(600_000);
  let data: string;
  let miniature: Miniature | null = null;

  before(async function () {
    data = join(realDataOrSkip(this), 'further');
    if (!existsSync(data)) {
      console.log('skipped: no further extracts');
      this.skip();
    }
    await using server = await startKoop(extracts.map(served));
    miniature = await Miniature.served(
      server.url,
      extracts.map(({ dataSet }) => dataSet),
    );
  });
  after(() => {
    miniature?.[Symbol.dispose]();
  });

  const read = (file: string): Collection => JSON.parse(readFileSync(join(data, file), 'utf8')) as Collection;

  function served({ file, dataSet, rename = {} }: Extract): KoopLayer {
    const { service, id, name } = province[dataSet]!;
    const features = read(file).features.map(({ properties, geometry }, i) => ({
      type: 'Feature' as const,
      properties: {
        OBJECTID: i + 1,
        ...Object.fromEntries(Object.entries(properties).map(([field, value]) => [rename[field] ?? field, value])),
      },
      geometry,
    }));
    const metadata = { id, name, idField: 'OBJECTID', geometryType: 'Polygon', maxRecordCount: 100 } as const;
    return { service: `LIO_OPEN_DATA/${service}`, metadata, features };
  }

  /** Asks at places around the features, on every read path, and compares with the values that are right there. */
  function compare(
    key: string,
    expected: (oracle: Oracle, file: string) => Map<number, readonly unknown[]>,
    answerOf: (told: Told) => unknown = ({ value }) => value,
  ): void {
    const { file, aroundM } = extracts.find((extract) => extract.key === key)!;
    const places = placesAround(read(file), aroundM);
    using own = temporaryFolder();
    const allowed = expected(new Oracle(own.path, data, places), file);
    const seen = new Set<string>();
    // Where the file allows two answers, the place is too near a limit to tell: the index rounds coordinates.
    const sure = places.filter(({ id }) => new Set(allowed.get(id)!.map((value) => JSON.stringify(value))).size === 1);
    for (const { id, lat, lon } of sure) {
      const got = JSON.stringify(answerOf(miniature!.ask(key, [lon, lat])));
      seen.add(got);
      const [right] = allowed.get(id)!.map((value) => JSON.stringify(value));
      expect(got, `SEED ${SEED}: ${key} at ${lat}, ${lon}`).to.equal(right);
    }
    expect(sure.length).to.be.greaterThan(PLACES * 0.8);
    expect(seen.size, [...seen].join()).to.be.greaterThan(1);
  }

  it('imports all of their features, and reports no word that it does not know', () => {
    for (const { dataSet, file } of extracts) {
      const { featureCount, beside = {}, dropped, unknownWords = {} } = miniature!.record(dataSet);
      const all = [...Object.values(beside), ...Object.values(dropped)].reduce(
        (sum, count) => sum + count,
        featureCount,
      );
      expect(all, dataSet).to.equal(read(file).features.length);
      expect(unknownWords, dataSet).to.deep.equal({});
    }
  });

  it('finds wetlands at the same distances', () => {
    compare('wetlandProximity', (oracle, file) =>
      oracle.byDistance({ files: [file] }, () => [
        ['inside', 0],
        ['regulated', 30],
        ['adjacent', 120],
      ]),
    );
  });

  it('says of the nearest wetland whether anybody has evaluated it', () => {
    const words: Readonly<Record<string, string | null>> = { Yes: 'yes', No: 'no', '': null };
    compare(
      'wetlandProximity',
      (oracle, file) => {
        const near = oracle.distances([file], 'evaluated_wetland_ind', 120.5);
        return oracle.each(({ id }) => {
          const found = near.get(id) ?? [];
          const nearestM = Math.min(...found.map(({ distanceM }) => distanceM));
          const nearest = found.filter(({ distanceM }) => distanceM <= nearestM + 0.5);
          const isNearLimit = [30, 120].some((limit) => Math.abs(nearestM - limit) <= 0.5);
          if (nearest.length === 0) return ['none near'];
          return [...nearest.map(({ name }) => words[name]), ...(isNearLimit ? ['none near', 'not sure'] : [])];
        });
      },
      ({ feature }) => (feature ? feature['evaluated'] : 'none near'),
    );
  });

  it('answers confirmed areas of interest alone', () => {
    compare('ansi', (oracle, file) =>
      oracle.byPolygon(
        { file, columns: ['name', 'type', 'significance'], where: "type NOT LIKE 'Candidate%'" },
        ({ name, type, significance }) => ({ name, type, significance }),
        null,
      ),
    );
  });

  it('tells of candidate areas in the evidence, as candidates', () => {
    compare(
      'ansi',
      (oracle, file) =>
        oracle.byPolygon(
          { file, columns: ['name', 'type'] },
          ({ name, type }) => [name, type!.startsWith('Candidate') ? 'candidate' : 'confirmed'],
          null,
        ),
      ({ feature }) => (feature ? [feature['name'], feature['status']] : null),
    );
  });

  it('names a conservation reserve as people do', () => {
    compare('conservationReserve', (oracle, file) =>
      oracle.byPolygon({ file }, () => ({ name: 'Clear Lake Conservation Reserve' }), null),
    );
  });

  it('takes the band of a pit or that of a quarry', () => {
    compare('aggregateSiteProximity', (oracle, file) =>
      oracle.byDistance({ files: [file], column: 'operation_type' }, (type) =>
        type === 'Pit'
          ? [
              ['inside', 0],
              ['regulated', 300],
              ['adjacent', 500],
            ]
          : [
              ['inside', 0],
              ['regulated', 500],
            ],
      ),
    );
  });

  it("reads municipalities under the names of the province's shapefile", () => {
    compare('municipality', (oracle, file) =>
      oracle.byPolygon(
        { file, columns: ['mun_name', 'upper_tier'] },
        ({ mun_name: name, upper_tier: tier }) => ({
          munId: null,
          name,
          type: null,
          upperTier: tier === '' ? null : tier,
        }),
        null,
      ),
    );
  });
});

/** Places around random vertices. */
function placesAround({ features }: Collection, aroundM: number): Place[] {
  const random = seededRandom(SEED);
  const positions = features.map(({ geometry }) =>
    (geometry as { coordinates: unknown[] }).coordinates.flat(Infinity),
  ) as number[][];
  return Array.from({ length: PLACES }, (_, id) => {
    const own = positions[Math.floor(random() * positions.length)]!;
    const at = 2 * Math.floor((random() * own.length) / 2);
    const [angle, distanceM] = [random() * 2 * Math.PI, random() * aroundM];
    return {
      id,
      lon: Number((own[at]! + (Math.cos(angle) * distanceM) / 80_000).toFixed(6)),
      lat: Number((own[at + 1]! + (Math.sin(angle) * distanceM) / 111_000).toFixed(6)),
    };
  });
}
