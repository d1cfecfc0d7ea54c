import type { Registry } from 'prom-client';
import type { Accounts } from '../open-accounts.ts';
import type { Config } from '../settings/config.ts';
import { type Backlog, UNSETTLED } from '../../messages/journal.ts';
import type { Reconciliation } from '../../messages/meter-events.ts';
import { lookupLimit } from '../limits/limit-words.ts';
import { before } from '../pool/before.ts';
import type { LoadKind } from '../pool/lookup-pool.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import { counter, gaugesOf, labelled } from './gauges.ts';
import { msSinceSuccess, readJobs } from '../snapshots/jobs.ts';

interface MeasuredState extends Pick<Accounts, 'quotas' | 'journal' | 'journalWatch' | 'redisSettings' | 'billing'> {
  readonly config: Pick<Config, 'maxPending' | 'dataDir'>;
  readonly snapshots: Pick<SnapshotService, 'manifest' | 'refused' | 'pool'>;
  readonly hungThreads: { readonly count: number };
  /** Lookups that wait for a thread. */
  readonly gate: { waiting(kind: LoadKind): number };
  readonly health: {
    check(): Promise<{
      readonly ready: boolean;
      readonly notReady: readonly { readonly reason: string }[];
      readonly keys: string;
    }>;
  };
}

/** Short, because a scrape must not wait for a journal that hangs. */
const BACKLOG_DEADLINE_MS = 1000;

const LIMITER_MODES = ['process', 'shared', 'insurance'] as const;

/** Makes gauges that read the state of the service when Prometheus reads them. */
export function measureState(registry: Registry, state: MeasuredState): void {
  measureReadiness(registry, state);
  measurePool(registry, state);
  measureSnapshot(registry, state);
  measureAccounts(registry, state);
}

function measureReadiness(registry: Registry, { health }: MeasuredState): void {
  const gauge = gaugesOf(registry);
  gauge('land_lookup_ready', '1 while lookups of addresses can be answered, as /readyz says.', async () =>
    (await health.check()).ready ? 1 : 0,
  );
  labelled(registry, 'land_lookup_not_ready', 'Always 1: why the process is not ready.', ['reason'], async (set) => {
    for (const { reason } of (await health.check()).notReady) set({ reason }, 1);
  });
  gauge(
    'land_lookup_keys_readable',
    '0 while the key store does not answer: keys that are new here get 503.',
    async () => ((await health.check()).keys === 'ok' ? 1 : 0),
  );
}

function measurePool(registry: Registry, { snapshots, hungThreads, gate, config }: MeasuredState): void {
  const gauge = gaugesOf(registry);
  gauge('land_lookup_pool_threads', 'Lookup threads.', () => snapshots.pool.status.threads);
  labelled(registry, 'land_lookup_pool_pending', 'Lookups under way or waiting, by kind.', ['kind'], (set) => {
    const { pending } = snapshots.pool.status;
    for (const kind of ['plain', 'costly'] as const) set({ kind }, pending[kind] + gate.waiting(kind));
  });
  gauge(
    'land_lookup_pool_pending_limit',
    'Pending lookups of a kind beyond which a new one is refused.',
    () => config.maxPending,
  );
  gauge('land_lookup_pool_utilisation', 'Share of the lookup threads that have work, 0 to 1.', () => {
    const { threads, pending } = snapshots.pool.status;
    return Math.min(1, pending.plain / threads);
  });
  const help = 'Lookup threads that were replaced because a lookup hung in them.';
  counter(registry, 'land_lookup_pool_hung_threads_total', help, null, (set) => {
    set('', hungThreads.count);
  });
}

function measureSnapshot(registry: Registry, { snapshots }: MeasuredState): void {
  const gauge = gaugesOf(registry);
  labelled(registry, 'land_lookup_snapshot_info', 'Always 1: the snapshot in service.', ['id', 'sample'], (set) => {
    const { id, sample } = snapshots.manifest;
    set({ id, sample: String(sample) }, 1);
  });
  gauge('land_lookup_snapshot_age_seconds', 'Time since the snapshot in service was made.', () =>
    ageS(snapshots.manifest.createdAt),
  );
  gauge('land_lookup_snapshot_refused', '1 while current leads to a snapshot that cannot be served.', () =>
    snapshots.refused ? 1 : 0,
  );
  labelled(registry, 'land_lookup_data_age_seconds', 'Age of a data set by its date.', ['data_set'], (set) => {
    for (const [id, { asOf }] of Object.entries(snapshots.manifest.dataSets)) set({ data_set: id }, ageS(asOf));
  });
  const failed = 'Time since a data set was first not refreshed; no series when the last refresh took it.';
  labelled(registry, 'land_lookup_refresh_failed_seconds', failed, ['data_set'], (set) => {
    for (const [id, { refreshFailed }] of Object.entries(snapshots.manifest.dataSets))
      if (refreshFailed) set({ data_set: id }, ageS(refreshFailed.since));
  });
}

function measureAccounts(
  registry: Registry,
  { quotas, journal, journalWatch, redisSettings, billing }: MeasuredState,
): void {
  const gauge = gaugesOf(registry);
  labelled(registry, 'land_lookup_limiter_mode', '1 for who counts the limits.', ['mode'], (set) => {
    for (const mode of LIMITER_MODES) set({ mode }, quotas.of(lookupLimit).mode === mode ? 1 : 0);
  });
  gauge(
    'land_lookup_redis_faults',
    'Settings of Redis with which it may lose keys and limits.',
    () => redisSettings.faults.length,
  );
  gauge('land_lookup_journal_waiting', 'Operations that are not on the disk yet.', () => journal.waiting);
  gauge('land_lookup_journal_writable', '1 while lookups can be recorded; without it each gets 503.', () =>
    journalWatch.fault === null ? 1 : 0,
  );
  gauge(
    'land_lookup_clock_trusted',
    '0 after the wall clock jumped: usage is recorded, not delivered or deleted.',
    () => (journalWatch.isClockTrusted ? 1 : 0),
  );
  if (!billing) return;
  const backlog = (): Promise<Backlog> =>
    before(journal.do('backlog', null), BACKLOG_DEADLINE_MS, () => new Error('the journal does not answer'));
  gauge(
    'land_lookup_billing_pending',
    'Lookups that the payment processor was not told of.',
    async () => (await backlog()).pending,
  );
  gauge('land_lookup_billing_lag_seconds', 'Age of the oldest of them, 0 without any.', async () => {
    const { oldestMs } = await backlog();
    return oldestMs === null ? 0 : Math.max(0, Date.now() - oldestMs) / 1000;
  });
  labelled(
    registry,
    'land_lookup_billing_unsettled',
    'Lookups that wait for somebody to act.',
    ['state'],
    async (set) => {
      const counts = await backlog();
      for (const state of UNSETTLED) set({ state }, counts[state]);
    },
  );
  const reconciliation = (): Promise<Reconciliation | null> =>
    before(journal.do('reconciliation', null), BACKLOG_DEADLINE_MS, () => new Error('the journal does not answer'));
  gauge(
    'land_lookup_billing_differing_days',
    'Days of customers with other figures at the payment processor, at the last comparison.',
    async () => (await reconciliation())?.differing ?? 0,
  );
  gauge('land_lookup_billing_meter_missing', '1 while the payment processor has no active meter for us.', () =>
    billing.reporter.hasMeter ? 0 : 1,
  );
  labelled(registry, 'land_lookup_billing_events', 'Meter events since the start, by result.', ['result'], (set) => {
    for (const [result, count] of Object.entries(billing.reporter.status())) set({ result }, count);
  });
}

function ageS(date: string): number {
  return Math.max(0, (Date.now() - Date.parse(date)) / 1000);
}

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
