import { chmodSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile } from '../files/read-small-file.ts';
import { moveIntoPlace } from '../files/replace.ts';
import { snapshotsFolder } from './folders.ts';

/**
 * What runs by a timer, or by hand in its place, with the timers that run it. Addresses are refreshed only where the settings of
 * imports name a register, so no timer tells whether this machine does it.
 */
const TIMERS = {
  refresh: ['refresh'],
  address_refresh: [],
  follow: ['follow'],
  prune: ['refresh', 'follow'],
  backup: ['backup'],
  reconcile: ['reconcile'],
  sources: ['sources'],
} as const satisfies Record<string, readonly string[]>;

export type Job = keyof typeof TIMERS;

/** The user of the imports may not write in the data folder, but in that of the snapshots (docs/decisions/0073). */
const OF_SERVICE: readonly Job[] = ['backup', 'reconcile'];

/** What is known of a job on this machine. Times are in UTC, ISO 8601; null: never, or not known. */
export interface JobState {
  readonly job: Job;
  /** When its timer was enabled; null: none is. */
  readonly enabledAt: string | null;
  readonly firstBegunAt: string | null;
  /** Without a success or a failure since, it is under way or was killed. */
  readonly begunAt: string | null;
  readonly succeededAt: string | null;
  /** The last failure. At the time of a success: what that one left out. */
  readonly failed: { readonly at: string; readonly why: string } | null;
}

type Noted = Pick<JobState, 'firstBegunAt' | 'begunAt' | 'succeededAt' | 'failed'>;

const MOST_BYTES = 4096;

/** Letters of a reason that are kept. */
const MOST_LETTERS = 600;

/** Time that a clock may have been ahead when a job ended. What lies further ahead is not believed: it would hide failures until then. */
const AHEAD_MS = 3_600_000;

/** Notes that a job begins. A state that cannot be written stops no job. */
export function beginJob(
  dataDir: string,
  job: Job,
): {
  /** @param leftOut what it could not do all the same. */
  succeeded(leftOut?: string): void;
  failed(why: string): void;
} {
  const now = (): string => new Date().toISOString();
  note(dataDir, job, ({ firstBegunAt, ...before }) => {
    const begunAt = now();
    return { ...before, firstBegunAt: firstBegunAt ?? begunAt, begunAt };
  });
  return {
    succeeded: (leftOut) => {
      const at = now();
      const failed = leftOut === undefined ? null : { at, why: leftOut.slice(0, MOST_LETTERS) };
      note(dataDir, job, (before) => ({ ...before, succeededAt: at, failed }));
    },
    failed: (why) => {
      note(dataDir, job, (before) => ({ ...before, failed: { at: now(), why: why.slice(0, MOST_LETTERS) } }));
    },
  };
}

/** Returns what is known of each job, also of those that never ran here. Never fails. @param unitsDir where systemd keeps what is enabled. */
export function readJobs(dataDir: string, unitsDir = '/etc/systemd/system'): readonly JobState[] {
  return (Object.keys(TIMERS) as Job[]).map((job) => ({
    job,
    enabledAt: enabledAt(TIMERS[job], unitsDir),
    ...read(fileOf(dataDir, job)),
  }));
}

/**
 * Returns the time in ms since the last success of a job. Without one it counts from its first begin, or from when its timer was enabled, but not from
 * before `watchedSinceMs`: an earlier version noted nothing. Null: this machine does not do it.
 */
export function msSinceSuccess(
  state: JobState,
  { nowMs, watchedSinceMs }: { nowMs: number; watchedSinceMs: number },
): number | null {
  const { succeededAt, firstBegunAt, enabledAt: enabled } = state;
  const known = succeededAt ?? firstBegunAt;
  if (known !== null) return Math.max(0, nowMs - Date.parse(known));
  return enabled === null ? null : Math.max(0, nowMs - Math.max(Date.parse(enabled), watchedSinceMs));
}

function fileOf(dataDir: string, job: Job): string {
  return join(OF_SERVICE.includes(job) ? dataDir : snapshotsFolder(dataDir), `job-${job}.json`);
}

/** Two runs of one job at once: the one that notes last is what is kept. */
function note(dataDir: string, job: Job, change: (before: Noted) => Noted): void {
  const file = fileOf(dataDir, job);
  const next = `${file}.${process.pid}`;
  try {
    rmSync(next, { force: true });
    writeFileSync(next, `${JSON.stringify({ format: 1, ...change(read(file)) })}\n`, { flush: true, flag: 'wx' });
    // Whatever the umask: the service reads what imports write, through its group.
    chmodSync(next, 0o640);
    moveIntoPlace(next, file);
  } catch (cause) {
    rmSync(next, { force: true });
    // Before the first import there is no folder.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      process.stderr.write(`land-lookup: the state of this job cannot be noted: ${(cause as Error).message}\n`);
  }
}

const NOTHING: Noted = { firstBegunAt: null, begunAt: null, succeededAt: null, failed: null };

/** Of a file that is missing, damaged or of a later version, nothing. */
function read(file: string): Noted {
  try {
    const { format, firstBegunAt, begunAt, succeededAt, failed } = JSON.parse(
      readSmallFile(file, MOST_BYTES),
    ) as Record<string, unknown>;
    if (format !== 1) return NOTHING;
    const { at, why } = (failed ?? {}) as Record<string, unknown>;
    const failedAt = time(at);
    return {
      firstBegunAt: time(firstBegunAt),
      begunAt: time(begunAt),
      succeededAt: time(succeededAt),
      failed: failedAt !== null && typeof why === 'string' ? { at: failedAt, why } : null,
    };
  } catch {
    return NOTHING;
  }
}

function time(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(ms) || ms > Date.now() + AHEAD_MS ? null : new Date(ms).toISOString();
}

/** systemd enables a timer with a link. */
function enabledAt(timers: readonly string[], unitsDir: string): string | null {
  const links = timers.flatMap((name) => {
    try {
      const link = join(unitsDir, 'timers.target.wants', `land-lookup-${name}.timer`);
      return [lstatSync(link).mtimeMs];
    } catch {
      return [];
    }
  });
  return links.length === 0 ? null : new Date(Math.max(...links)).toISOString();
}
