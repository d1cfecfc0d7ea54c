import type { Registry } from 'prom-client';
import type { BatchStore } from './batch-store.ts';
import type { BatchRunner } from './runner.ts';
import { batchStates, hasEnded } from './job.ts';
import { outcomes } from './rows/outcomes.ts';
import { counter, gaugesOf, labelled } from '../../core/admin/gauges.ts';

export interface MeasuredBatches {
  readonly store: Pick<BatchStore, 'backlog'>;
  readonly runner: Pick<BatchRunner, 'status'>;
}

/** Makes metrics of batches. Those of jobs are of the whole queue, in each process; the counters are of this process. */
export function measureBatches(registry: Registry, { store, runner }: MeasuredBatches): void {
  labelled(registry, 'land_lookup_batch_jobs', 'Batches that have not ended, by state.', ['state'], async (set) => {
    const { queued, running } = await store.backlog();
    set({ state: 'queued' }, queued);
    set({ state: 'running' }, running);
  });
  gaugesOf(registry)(
    'land_lookup_batch_oldest_seconds',
    'Age of the oldest batch of which no row was answered yet, 0 without any.',
    async () => {
      const { oldestQueuedMs } = await store.backlog();
      return oldestQueuedMs === null ? 0 : Math.max(0, Date.now() - oldestQueuedMs) / 1000;
    },
  );
  counter(registry, 'land_lookup_batch_rows_total', 'Rows of batches that were answered.', 'outcome', (set) => {
    const { rows } = runner.status();
    for (const outcome of outcomes) set(outcome, rows[outcome]);
  });
  counter(registry, 'land_lookup_batch_ended_total', 'Batches that have ended.', 'state', (set) => {
    const { ended } = runner.status();
    for (const state of batchStates.filter((state) => hasEnded({ state }))) set(state, ended[state] ?? 0);
  });
  counter(registry, 'land_lookup_batch_faults_total', 'Attempts to answer or store rows that failed.', null, (set) => {
    set('', runner.status().failures);
  });
}
