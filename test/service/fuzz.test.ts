import { expect } from 'chai';
import { fuzzRequest } from '../support/material/fuzz-requests.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { startSampleService } from '../support/drivers/sample-service.ts';
import { sampleAddresses } from '../tools/draw-examples.ts';
import { given } from '../support/drivers/given.ts';

/** `npm run fuzz` makes it 6,000. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 600);
const CLIENTS = 8;

describe('any request', function () {
  this.timeout(600_000);

  given('agents', 'batches').it('gets an answer that the OpenAPI document has', async () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
    console.log(`        ${REQUESTS} requests, FUZZ_SEED=${seed}`);
    const random = seededRandom(seed);
    await using service = await startSampleService();
    const addresses = sampleAddresses();
    const counts: Record<string, number> = {};
    const client = async (requests: number): Promise<void> => {
      for (let i = 0; i < requests; i++) {
        const { path, ...init } = fuzzRequest(random, service.key, addresses);
        const canHaveBody = init.method !== 'GET' && init.method !== 'HEAD';
        // The hook of the tests holds the answer against the document (support/oracles/contract-hook.ts).
        const response = await fetch(service.url + path, { ...init, body: canHaveBody ? (init.body ?? null) : null });
        const label = `${response.status}`;
        counts[label] = (counts[label] ?? 0) + 1;
        await response.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, () => client(Math.ceil(REQUESTS / CLIENTS))));
    console.log(`        ${JSON.stringify(counts)}`);
    // Places outside Ontario (422) are too rare among so few requests.
    expect(counts).to.include.keys('200', '400', '401', '404', '405');
    expect(counts).not.to.have.any.keys('500', '503');
  });
});
