/** Areas that are as costly as their limits allow, on the sample: each is answered or refused, and none takes more than so many steps. */
import { expect } from 'chai';
import { countedSteps } from '../../support/drivers/counted-steps.ts';
import { inputs } from '../../support/drivers/inputs.ts';
import { programFile } from '../../support/drivers/program.ts';
import { hostileShapes } from '../../support/material/hostile-areas.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';
import type { HostileSteps } from './hostile-steps.ts';

const SEED = 20261124;
const ROUNDS = inputs(6, 1);

/** Twice the most that any of 186 such areas took: 78 million. `make stress NAME=area-hostile` measures the time. */
const MOST_STEPS = 150_000_000;

describe('hostile areas', () => {
  it(`are answered or refused in ${MOST_STEPS / 1e6} million steps, ${ROUNDS} of each of ${hostileShapes.length} shapes`, () => {
    const program = programFile('./hostile-steps', import.meta.url);
    const areas = countedSteps(program, sampleDataDir(), String(ROUNDS), String(SEED)) as HostileSteps[];
    expect(areas).to.have.length(ROUNDS * hostileShapes.length);
    for (const { shape, round, what, steps } of areas) {
      expect(what).to.be.oneOf(['answered', 'BAD_REQUEST', 'OUTSIDE_ONTARIO']);
      expect(steps, `${shape}, round ${round}`).to.be.at.most(MOST_STEPS);
    }
    expect(areas.filter(({ what }) => what === 'answered').length).to.be.greaterThan(areas.length / 2);
  });
});
