/** Shares of areas over the bundled sample, by both read paths, against GEOS on whole features of the tables. */
import { join } from 'node:path';
import { expect } from 'chai';
import { allAnswers } from '../../../src/catalogue/catalogue.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { areaOf as polygonsIn } from '../../../src/features/areas/area-request.ts';
import { answerLayers, viewOfArea } from '../../../workers/areas/feature.ts';
import { prepareArea, type PreparedArea } from '../../../workers/areas/project-area.ts';
import { openServed, prepareSnapshot } from '../../../workers/engine/served-snapshot.ts';
import type { ServedSnapshot } from '../../../workers/engine/feature.ts';
import { fromLambert } from '../../../workers/geopackage/lambert.ts';
import { anchorsOf } from '../../support/material/area-anchors.ts';
import { plainSharesOf } from '../../support/oracles/area-oracle.ts';
import { differences } from '../../support/oracles/compare-areas.ts';
import { gdalShapes, projectedShape } from '../../support/oracles/gdal-shapes.ts';
import { areaShapes, densified, randomArea, type RandomArea } from '../../support/material/random-areas.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';

const SEED = 20261122;
const AREAS = 80;

describe('the shares of an area', function () {
  this.timeout(240_000);
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const answers = allAnswers(catalogue);
  let served: ServedSnapshot;
  let areas: readonly RandomArea[];
  before(() => {
    const { dir } = requireCurrentSnapshot(sampleDataDir());
    served = openServed({ ...prepareSnapshot(dir, false), opening: 1 }, catalogue);
    const random = seededRandom(SEED);
    const anchor = anchorsOf(served.snapshot, random);
    areas = Array.from({ length: AREAS }, (_, i) => randomArea(areaShapes[i % areaShapes.length]!, random, anchor()));
  });
  after(() => {
    served.snapshot.close();
  });

  const prepared = ({ geometry }: RandomArea): PreparedArea => {
    const area = prepareArea(polygonsIn({ geometry }).polygons);
    if ('fault' in area) throw new Error(area.fault);
    return area;
  };

  for (const path of ['the cell index', 'the feature tables'] as const) {
    it(`are those of GEOS on whole features, through ${path}`, () => {
      const seen = new Map<string, Set<string>>();
      for (const [i, drawn] of areas.entries()) {
        if (path === 'the feature tables' && i % 4 > 0) continue;
        const area = prepared(drawn);
        const layers = answerLayers(
          viewOfArea({ ...served, ...(path === 'the cell index' ? {} : { cells: null }) }, area),
          answers,
        );
        const shape = projectedShape(densified(drawn.geometry));
        const question = {
          ...{ shapes: gdalShapes(served.snapshot), dataSets: served.snapshot.manifest.dataSets },
          ...{ area: shape, scale: scaleIn(shape) },
        };
        const plain = plainSharesOf(question);
        for (const one of answers) {
          const { key } = one.answer;
          const found = differences(one.answer, layers[key]!, plain(one));
          expect(found, `${key} of area ${i}, ${drawn.shape}: ${JSON.stringify(drawn.geometry)}`).to.deep.equal([]);
          seen.set(key, (seen.get(key) ?? new Set()).add(JSON.stringify(layers[key])));
        }
      }
      if (path === 'the feature tables') return;
      for (const [key, values] of seen) expect(values.size, `${key} says the same of all areas`).to.be.greaterThan(1);
    });
  }

  function scaleIn(shape: ReturnType<typeof projectedShape>): number {
    const { minX, minY, maxX, maxY } = shape.getEnvelope();
    return fromLambert((minX + maxX) / 2, (minY + maxY) / 2).scale;
  }
});
