/**
 * Compares areas with SpatiaLite on the feature tables of a snapshot. By itself: `node test/real/compare-areas.ts FOLDER [AREAS] [SEED]` prints every
 * difference.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { areaOf } from '../../src/features/areas/area-request.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import type { AreaLookupBody } from '../../src/messages/wire/area-lookup.ts';
import { fromLambert } from '../../workers/geopackage/lambert.ts';
import { landFile } from '../../workers/geopackage/land-file.ts';
import { answerArea } from '../../workers/areas/feature.ts';
import { openServed, prepareSnapshot } from '../../workers/engine/served-snapshot.ts';
import { anchorsOf } from '../support/material/area-anchors.ts';
import { plainSharesOf, type AreaQuestion } from '../support/oracles/area-oracle.ts';
import { differences } from '../support/oracles/compare-areas.ts';
import { areaShapes, densified, randomArea, type RandomArea } from '../support/material/random-areas.ts';
import { openSpatialite } from './spatialite-shapes.ts';

/** What `areaM2` may differ by. */
const AREA_SHARE = 0.001;

export interface ComparedAreas {
  readonly areas: number;
  readonly outside: number;
  readonly repaired: number;
  readonly values: number;
  readonly nulls: number;
  readonly largestAreaError: number;
  readonly differing: readonly string[];
}

/** Returns null when the machine has no SpatiaLite for SQLite. */
export function compareAreas(folder: string, count: number, seed: number): ComparedAreas | null {
  using spatialite = openSpatialite(landFile(folder));
  if (!spatialite) return null;
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const { answers } = catalogue;
  const served = openServed({ ...prepareSnapshot(folder, false), opening: 1 }, catalogue);
  const random = seededRandom(seed);
  const anchor = anchorsOf(served.snapshot, random);
  const figures = { areas: 0, outside: 0, repaired: 0, values: 0, nulls: 0, largestAreaError: 0 };
  const differing: string[] = [];
  const compare = ({ shape, geometry }: RandomArea, body: AreaLookupBody): void => {
    const note = (what: string, found: readonly string[]): void => {
      if (found.length > 0)
        differing.push(`${shape}, ${what}: ${found.join('; ')} ${JSON.stringify(geometry).slice(0, 800)}`);
    };
    const error = Math.abs(body.areaM2 / spatialite.groundArea(densified(geometry)) - 1);
    figures.largestAreaError = Math.max(figures.largestAreaError, error);
    if (error > AREA_SHARE) note('areaM2', [String(body.areaM2)]);
    const area = spatialite.projected(densified(geometry));
    const [minX, minY, maxX, maxY] = spatialite.bounds(area);
    const question: AreaQuestion<Buffer> = {
      ...{ shapes: spatialite, dataSets: served.snapshot.manifest.dataSets, area },
      scale: fromLambert((minX + maxX) / 2, (minY + maxY) / 2).scale,
    };
    const plain = plainSharesOf(question);
    for (const one of answers) {
      const value = body.layers[one.answer.key] ?? null;
      figures.values++;
      if (value === null) figures.nulls++;
      note(one.answer.key, differences(one.answer, value, plain(one)));
    }
  };
  for (let i = 0; i < count; i++) {
    const drawn = randomArea(areaShapes[i % areaShapes.length]!, random, anchor());
    const outcome = answerArea(served, { kind: 'area', ...areaOf({ geometry: drawn.geometry }) }, catalogue);
    if (!outcome.ok) {
      if (outcome.code === 'OUTSIDE_ONTARIO') figures.outside++;
      else differing.push(`${drawn.shape}: ${outcome.detail} ${JSON.stringify(drawn.geometry).slice(0, 800)}`);
      continue;
    }
    figures.areas++;
    const body = JSON.parse(outcome.value.json) as AreaLookupBody;
    // SpatiaLite measures valid shapes only.
    if (body.repaired) figures.repaired++;
    else compare(drawn, body);
  }
  served.snapshot.close();
  return { ...figures, differing };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = '', count = '100', seed = '1'] = process.argv.slice(2);
  const compared = compareAreas(folder, Number(count), Number(seed));
  if (!compared) throw new Error('this comparison needs the package libsqlite3-mod-spatialite');
  for (const line of compared.differing) console.log(line);
  console.table([{ ...compared, differing: compared.differing.length }]);
}
