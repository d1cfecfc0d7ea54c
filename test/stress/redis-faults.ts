// Kill, freeze, pause and fill Redis under load, and print codes and latencies of the requests (FAULT_S=N)
/**
 * Lookups under load while Redis is killed, frozen, paused and full, each for FAULT_S seconds (default 5) and back:
 * `make stress NAME=redis-faults`. No answer but 200, no wait, limits shared again without a restart.
 */
import { redisFaultLoad } from '../support/drivers/redis-fault-load.ts';

const LONGEST_P99_MS = 400;

const reports = await redisFaultLoad({ faultMs: Number(process.env['FAULT_S'] ?? 5) * 1000, clients: 8 });
console.table(reports.map(({ statuses, ...report }) => ({ ...report, statuses: JSON.stringify(statuses) })));
const isRight = reports.every(({ statuses, requests, p99Ms }) => statuses[200] === requests && p99Ms < LONGEST_P99_MS);
console.log(isRight ? 'as promised' : 'NOT as promised');
process.exitCode = isRight ? 0 : 1;
