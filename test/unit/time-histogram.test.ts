import { expect } from 'chai';
import { Histogram, Registry } from 'prom-client';
import { BUCKETS, TimeHistogram } from '../../src/core/http/request-metrics.ts';

describe('A histogram of times', () => {
  it('exports what that of the library does', async () => {
    const [registry, libraries] = [new Registry(), new Registry()];
    const described = { name: 'seconds', help: 'Time of one stage.' };
    const times = new TimeHistogram({ ...described, label: 'stage', registry });
    const expected = new Histogram({
      ...described,
      labelNames: ['stage'],
      buckets: BUCKETS,
      registers: [libraries],
    });
    const add = (stage: string, ms: number): void => {
      times.add(stage, ms);
      expected.observe({ stage }, ms / 1000);
    };
    expect(await registry.metrics()).to.equal(await libraries.metrics());
    for (const ms of [0, 0.3, 0.5, 0.6, 1, 50, 5000, 5001, 60_000]) add('layers', ms);
    for (const ms of [2, 2, 2]) add('a "quoted"\nname', ms);
    expect(await registry.metrics()).to.equal(await libraries.metrics());
    add('layers', 7);
    expect(await registry.metrics()).to.equal(await libraries.metrics());
  });
});
