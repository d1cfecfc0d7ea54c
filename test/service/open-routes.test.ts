/** What a request costs that needs no key. Its time: `make stress NAME=pipelined`. */
import { expect } from 'chai';
import { countedSteps } from '../support/drivers/counted-steps.ts';
import { programFile } from '../support/drivers/program.ts';
import type { Costs } from './open-route-steps.ts';
import { givenAll } from '../support/drivers/given.ts';

/** Blocks of code and characters of JSON. Writing a document of the catalogue takes 250 to 1,100 blocks, or 100,000 characters. */
const MOST_STEPS = 200;
const MOST_JSON = 1500;

describe('A route that needs no key', function () {
  this.timeout(120_000);

  givenAll().it('makes nothing anew that is the same for everybody, whichever it is', () => {
    const costs = countedSteps(programFile('./open-route-steps', import.meta.url)) as Costs;
    expect(Object.keys(costs)).to.include.members([
      ...['get /', 'get /api/layers', 'get /examples', 'get /licences', 'get /llms.txt', 'get /openapi.json'],
      ...['get /api/examples', 'get /api/examples/restriction', 'get /healthz', 'get /readyz', 'get /signup'],
      ...['get /status', 'get /status.json'],
    ]);
    for (const [route, { status, steps, json }] of Object.entries(costs)) {
      expect(status, route).to.be.below(500);
      expect(steps, `steps of ${route}`).to.be.within(20, MOST_STEPS);
      expect(json, `JSON of ${route}`).to.be.below(MOST_JSON);
    }
  });
});
