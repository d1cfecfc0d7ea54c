/**
 * Counts the steps of answers to hostile areas on a snapshot: `node hostile-steps.ts DATA_DIR ROUNDS SEED`. Prints a list, with what became of each
 * area.
 */
import { join } from 'node:path';
import { stepsOf } from '../../support/drivers/steps.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { answerArea } from '../../../workers/areas/feature.ts';
import { openServed, prepareSnapshot } from '../../../workers/engine/served-snapshot.ts';
import { hostileArea, hostileShapes } from '../../support/material/hostile-areas.ts';
import { hostilePlaces } from '../../support/material/hostile-places.ts';

export interface HostileSteps {
  readonly shape: string;
  readonly round: number;
  /** `answered`, or the code of the refusal. */
  readonly what: string;
  readonly steps: number;
}

const [dataDir = '', rounds, seed] = process.argv.slice(2);
const catalogue = readCatalogue(join(projectDir, 'layers'));
const { dir } = requireCurrentSnapshot(dataDir);
const served = openServed({ ...prepareSnapshot(dir, false), opening: 1 }, catalogue);
const random = seededRandom(Number(seed));
const place = hostilePlaces(served.snapshot, random);
const all: HostileSteps[] = [];
for (let round = 0; round < Number(rounds); round++) {
  for (const shape of hostileShapes) {
    const { polygons } = hostileArea(shape, random, place());
    let what = '';
    const steps = stepsOf(() => {
      const outcome = answerArea(served, { kind: 'area', polygons, isClosed: true }, catalogue);
      what = outcome.ok ? 'answered' : outcome.code;
    });
    all.push({ shape, round, what, steps });
  }
}
served.snapshot.close();
process.stdout.write(JSON.stringify(all));
