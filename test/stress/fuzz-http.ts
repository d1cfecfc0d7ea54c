// Send 200,000 malformed requests: only documented errors, no crash, no growth of memory (REQUESTS=N SEED=N)
/**
 * 200,000 malformed requests over sockets that are kept (REQUESTS=N, SEED=N): only errors of the table, no crash, and memory that does
 * not grow. `make stress NAME=fuzz-http`.
 */
import { malformedLoad } from '../support/drivers/malformed-load.ts';

/** From the second fifth, when caches are full and everything is compiled, to the last. */
const MOST_GROWTH = 1.25;

const requests = Number(process.env['REQUESTS'] ?? 200_000);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
console.log(`${requests} requests, SEED=${seed}`);
const { answers, faults, rssMb, requestsPerS } = await malformedLoad({
  ...{ requests, clients: 16, seed },
  onProgress: (sent, mb) => {
    if (sent % (requests / 10) < requests / 100) console.log(`${sent - 1} requests, ${mb} MB`);
  },
});
const fifth = Math.floor(rssMb.length / 5);
const early = Math.max(...rssMb.slice(fifth, 2 * fifth));
const late = Math.max(...rssMb.slice(-fifth));
console.log({ answers, faults: faults.length, requestsPerS, earlyMb: early, lateMb: late });
for (const fault of faults.slice(0, 20)) console.error(fault);
const isRight = faults.length === 0 && late < early * MOST_GROWTH;
console.log(isRight ? 'as promised' : 'NOT as promised');
process.exitCode = isRight ? 0 : 1;
