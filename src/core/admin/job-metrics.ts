import type { Registry } from 'prom-client';
import { msSinceSuccess, readJobs } from '../snapshots/jobs.ts';
import { labelled } from './gauges.ts';

/** Makes gauges of the jobs that this machine does, from what the commands note. */
export function measureJobs(registry: Registry, dataDir: string): void {
  const watchedSinceMs = Date.now();
  const success =
    'Time since the last success of a job; without any, since it first began, or since its timer was enabled or this process started. No series where it does not run.';
  labelled(registry, 'land_lookup_last_success_seconds', success, ['job'], (set) => {
    for (const state of readJobs(dataDir)) {
      const ms = msSinceSuccess(state, { nowMs: Date.now(), watchedSinceMs });
      if (ms !== null) set({ job: state.job }, ms / 1000);
    }
  });
  const begin = 'Time since the last begin of a job, whatever became of it.';
  labelled(registry, 'land_lookup_last_begin_seconds', begin, ['job'], (set) => {
    for (const { job, begunAt } of readJobs(dataDir))
      if (begunAt !== null) set({ job }, Math.max(0, Date.now() - Date.parse(begunAt)) / 1000);
  });
}
