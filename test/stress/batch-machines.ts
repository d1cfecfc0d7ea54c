// Kill three machines and Redis 50 times while they share batches in a bucket that fails, and freeze one (KILLS=N FREEZE_S=60 SEED=N)
/** Kills three machines and Redis at random moments while they share batches, with an object store that fails (KILLS=50); freezes one for a minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { BatchMachinesRun, killAtRandom } from '../support/drivers/batch-machines-run.ts';
import type { StoreFault } from '../support/doubles/object-store.ts';

const MOST_WAIT_MS = 20 * 60_000;
const faults: readonly StoreFault[] = [
  'slow down',
  'internal',
  'silent',
  'cut request',
  'cut after',
  'cut answer',
  'full',
];

await killAll(Number(process.env['KILLS'] ?? 50));
await freezeOne(Number(process.env['FREEZE_S'] ?? 60));

async function killAll(most: number): Promise<void> {
  await using run = await BatchMachinesRun.start({ machines: 3, workMs: 100, lockMs: 3000, takeOverMs: 600_000 });
  await run.startAll();
  const random = seededRandom(Number(process.env['SEED'] ?? 1));
  const startMs = performance.now();
  let [kills, batches] = [0, 0];
  while (kills < most) {
    const jobs = [await run.add(60_000), await run.add(20_500, 'key_b')];
    // One request of twenty fails in some way.
    run.shared.objects.fault = () => (random() < 0.05 ? faults[Math.floor(random() * faults.length)]! : null);
    let isOver = false;
    const killing = killAtRandom(run, most - kills, random, () => isOver);
    const ended = await Promise.all(jobs.map((job) => run.ended(job, MOST_WAIT_MS)));
    isOver = true;
    kills += await killing;
    run.shared.objects.fault = () => null;
    for (const job of ended) await run.check(job);
    batches += jobs.length;
  }
  const seconds = Math.round((performance.now() - startMs) / 1000);
  console.log(
    `${batches} batches, ${kills} kills of machines and Redis in ${seconds} s: every row once, every 200 billed once`,
  );
}

async function freezeOne(seconds: number): Promise<void> {
  await using run = await BatchMachinesRun.start({ machines: 3, workMs: 250, lockMs: 3000, takeOverMs: 600_000 });
  await run.startAll();
  const job = await run.add(60_000);
  await sleep(2000);
  run.machines[0]!.freeze();
  const thaw = setTimeout(() => {
    run.machines[0]!.thaw();
  }, seconds * 1000);
  const startMs = performance.now();
  const ended = await run.ended(job, MOST_WAIT_MS);
  const waitedS = ((performance.now() - startMs) / 1000).toFixed(1);
  await run.check(ended);
  clearTimeout(thaw);
  run.machines[0]!.thaw();
  // What it was doing when it was frozen must not be billed afterwards either.
  await sleep(3000);
  await run.check(ended);
  const shares = run.machines.map((machine) => machine.read().finished.length).join(', ');
  console.log(
    `one machine frozen for ${seconds} s: the batch ended after ${waitedS} s, chunks by machine ${shares}, none billed twice`,
  );
}
