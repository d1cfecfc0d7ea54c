/** Areas that are as costly as their limits allow, on the sample: each is answered or refused, and none keeps a thread for long. */
import { join } from 'node:path';
import { expect } from 'chai';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../src/config.ts';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { requireCurrentSnapshot } from '../../src/snapshots/current.ts';
import { answerArea } from '../../workers/lookup/areas/answer-area.ts';
import { openServed, prepareSnapshot } from '../../workers/lookup/served-snapshot.ts';
import { hostileArea, hostileShapes } from '../support/material/hostile-areas.ts';
import { hostilePlaces } from '../support/material/hostile-places.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { leastProcessorMs } from '../support/drivers/processor-time.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';

const SEED = 20261124;
const ROUNDS = inputs(6);
const MOST_MS = 250;

describe('hostile areas', function () {
  this.timeout(300_000);

  it(`are answered or refused within ${MOST_MS} ms of the processor, ${ROUNDS} of each of ${hostileShapes.length} shapes`, () => {
    const { answers } = readCatalogue(join(projectDir, 'layers'));
    const { dir } = requireCurrentSnapshot(sampleDataDir());
    const served = openServed({ ...prepareSnapshot(dir, false), opening: 1 }, answers);
    const random = seededRandom(SEED);
    const place = hostilePlaces(served.snapshot, random);
    const counts: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      for (const shape of hostileShapes) {
        const { polygons } = hostileArea(shape, random, place());
        const ask = (): string => {
          const outcome = answerArea(served, { kind: 'area', polygons, isClosed: true }, { answers, further: [] });
          return outcome.ok ? 'answered' : outcome.code;
        };
        const what = ask();
        counts[what] = (counts[what] ?? 0) + 1;
        expect(leastProcessorMs(ask, MOST_MS), `${shape}, round ${round}`).to.be.at.most(MOST_MS);
      }
    }
    served.snapshot.close();
    for (const what of Object.keys(counts)) expect(what).to.be.oneOf(['answered', 'BAD_REQUEST', 'OUTSIDE_ONTARIO']);
    expect(counts['answered']).to.be.greaterThan(hostileShapes.length);
  });
});
