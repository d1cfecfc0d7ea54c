// Check exact limits with four processes, one Redis and twenty keys, also over a restart of Redis
/**
 * Four serving processes, one Redis, twenty keys, three times as many requests as they may make: each key gets exactly its limit.
 * Then the same with Redis killed and started again in between: no failure, and no more than limit and insurance. `make stress NAME=quota`.
 */
import { sharedLimitLoad } from './parts/shared-limit-load.ts';

const load = { processes: 4, keys: 20, limit: 100, requestsAKey: 300 } as const;
let isRight = true;
for (const restart of [false, true]) {
  const { granted, statuses, requestsPerS } = await sharedLimitLoad({ ...load, restart });
  // Each process insures a key for its whole limit (docs/decisions/0021).
  const most = restart ? load.limit * (1 + load.processes) : load.limit;
  const isGranted = granted.every((count) => count >= load.limit && count <= most);
  const isAnswered = Object.keys(statuses).every((status) => status === '200' || status === '429');
  isRight &&= isGranted && isAnswered;
  console.log(restart ? 'Redis restarted' : 'Redis up', { granted: granted.join(' '), statuses, requestsPerS });
}
console.log(isRight ? 'as promised' : 'NOT as promised');
process.exitCode = isRight ? 0 : 1;
