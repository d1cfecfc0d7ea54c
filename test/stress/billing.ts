// Kill the server 50 times under load and compare answers with meter events (KILLS=N)
/**
 * Kills the server at random moments under load, with a payment processor that fails half of the calls, a clock that jumps and one restore
 * of a backup, then holds every answer that a client received against the events that were taken: `make stress NAME=billing`. KILLS (default 50) and SEED from the environment.
 */
import { faultsOf, killUnderLoad } from './parts/kill-under-load.ts';

const kills = Number(process.env['KILLS'] ?? 50);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
console.log(`${kills} kills, SEED=${seed}`);
const report = await killUnderLoad({
  kills,
  seed,
  plainClients: 12,
  retryingClients: 4,
  onKill: (kill) => {
    if (kill % 10 === 0) console.log(`${kill} kills`);
  },
});
const { requests, received, retriedToTheEnd, journalled, lost, accepted, duplicates, statuses } = report;
const uncertain = [...journalled.values()].filter((state) => state === 'uncertain').length;
console.log({
  ...{ requests, received: received.length, retriedToTheEnd, journalled: journalled.size, uncertain, lost: lost.size },
  ...{ events: accepted.length, eventsSentAgain: duplicates, statuses },
});
const faults = faultsOf(report);
for (const fault of faults.slice(0, 20)) console.error(fault);
console.log(
  faults.length === 0
    ? 'each answer has one event, stands as uncertain or was lost with the disk; none has two'
    : `${faults.length} faults`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
