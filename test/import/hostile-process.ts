/** Imports a corpus in a process of its own, and prints what became of each data set, its memory and its processor time. Argument: the folder. */
import { importWritten } from '../support/drivers/import-run.ts';

const [, , folder] = process.argv;
const { outcomes } = await importWritten({ folder: folder!, partial: true });
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const results = Object.fromEntries(
  outcomes.map((outcome) => [outcome.id, outcome.status === 'failed' ? outcome.error : outcome.status]),
);
console.log(JSON.stringify({ results, megabytes: maxRSS / 1024, seconds: (userCPUTime + systemCPUTime) / 1e6 }));
