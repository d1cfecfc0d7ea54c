import type { Command } from 'commander';
import type { Readers } from '../../feature.ts';
import { takeLock } from '../../core/files/lock.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { patient, type RetryPolicy } from '../../core/outbound/retry.ts';
import { currentSnapshot } from '../../core/snapshots/current.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { beginJob } from '../../core/snapshots/jobs.ts';
import { failureSentence, textTable } from '../../core/terminal/command.ts';
import { ProgressDisplay, type Output } from '../../core/terminal/progress-display.ts';
import { readCatalogue } from '../../catalogue/read/read-definitions.ts';
import type { FetchOptions, ImportConfig, SourceFetcher, SourceCheck } from '../../import/source-fetcher.ts';
import { keptFile, readKept, writeKept, type KeptChecks, type KeptSource, inOneLine } from './kept-checks.ts';
import type { DataSetDefinition } from '../../catalogue/definition.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import { judge } from './judge.ts';

const NO_CHECKS =
  'FEATURES leaves out "download", which asks the sources: no check can be made here, unless you add it';

/** A server may drop connections, and a machine without a network is to say so within two minutes. */
const retry: RetryPolicy = { ...patient, attempts: 4 };

/** Exit code when a source differs from its definition, or from what it was. */
const DRIFT = 3;

export interface SourcesOptions extends Pick<FetchOptions, 'server' | 'packages' | 'retry' | 'idleMs'> {
  /** Ask all sources before printing. */
  readonly check?: boolean;
  readonly json?: boolean;
  readonly nowMs?: number;
}

/** `land-lookup sources` */
export function register(program: Command, { config, configOfData, fetcher }: Readers): void {
  program
    .command('sources')
    .description('print what the last check of the sources of the data found, and since when')
    .option('--check', 'ask every source first, and keep what it finds')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 all is well, 3 a source differs from its definition or from what it was, 1 a failure.',
    )
    .action(async (options: SourcesOptions) => {
      const read = options.check === true ? config() : configOfData();
      process.exitCode = await sources(read, options, await fetcher(), { out: process.stdout, err: process.stderr });
    });
}

/** Prints what is kept of the sources, with `check` after asking them. Returns the exit code. @param fetcher null: nothing can ask them. */
export async function sources(
  config: ImportConfig,
  options: SourcesOptions,
  fetcher: SourceFetcher | null,
  {
    out,
    err,
  }: {
    readonly out: Output;
    /** For progress and for what went wrong. */
    readonly err: Output;
  },
): Promise<number> {
  const say = (words: string): void => void err.write(`sources: ${words}\n`);
  if (fetcher === null) say(NO_CHECKS);
  const tell = (cause: unknown): boolean => {
    if (fetcher !== null) say(failureSentence(cause));
    return true;
  };
  const ask = { fetcher, say, display: new ProgressDisplay(err) };
  const hasFailed = options.check === true && (await check(config, options, ask).then(() => false, tell));
  // A check has said it already.
  const kept = readKept(config.dataDir, options.check === true ? () => undefined : say);
  out.write(options.json === true ? `${JSON.stringify(asJson(kept), null, 2)}\n` : table(kept));
  if (hasFailed) return 1;
  return kept && Object.values(kept.sources).some(({ finding }) => finding !== 'ok') ? DRIFT : 0;
}

interface Asking {
  readonly fetcher: SourceFetcher | null;
  readonly say: (words: string) => void;
  readonly display: ProgressDisplay;
}

/** Asks all sources, keeps what they show, and says what has changed. @throws Error when nothing could be learnt of them. */
async function check(config: ImportConfig, options: SourcesOptions, { fetcher, say, display }: Asking): Promise<void> {
  if (fetcher === null) throw new Error(NO_CHECKS);
  const { dataDir } = config;
  makeFolder(snapshotsFolder(dataDir));
  const lock = takeLock(`${keptFile(dataDir)}.lock`, 'another check of the sources is running');
  const run = beginJob(dataDir, 'sources');
  try {
    const checks = await fetcher.check(config, { retry, ...options }, display);
    const { dataSets } = readCatalogue(config);
    const kept = readKept(dataDir, (damage) => {
      say(`${damage}: begun anew`);
    });
    const manifest = currentSnapshot(dataDir)?.manifest ?? null;
    const now = watch(checks, { kept, dataSets, manifest, nowMs: options.nowMs ?? Date.now() });
    if (now === null)
      throw new Error('no source answered, so this machine has no network: what is kept stays as it was');
    writeKept(dataDir, now);
    for (const one of Object.values(now.sources)) if (one.since === now.checkedAt && one.before) say(changeOf(one));
    run.succeeded();
  } catch (cause) {
    run.failed(failureSentence(cause));
    throw cause;
  } finally {
    lock[Symbol.dispose]();
  }
}

function changeOf({ dataSet, source, finding, reason, before }: KeptSource): string {
  const was = `${before!.finding} since ${before!.since.slice(0, 10)}`;
  return `${dataSet}, ${source}: ${finding === 'ok' ? 'is back' : finding}, was ${was}${reason === '' ? '' : `: ${reason}`}`;
}

function asJson(kept: KeptChecks | null): object {
  const all = Object.values(kept?.sources ?? {});
  return { checkedAt: kept?.checkedAt ?? null, sources: all.map((one) => ({ ...one, base: undefined })) };
}

function table(kept: KeptChecks | null): string {
  if (kept === null) return 'No check of the sources is kept here. "land-lookup sources --check" makes one.\n';
  const all = Object.values(kept.sources);
  const rows = all.map(({ dataSet, source, finding, since, before, reason }) => [
    ...[
      dataSet,
      finding,
      since.slice(0, 10),
      before ? `${before.finding}, ${before.since.slice(0, 10)} to ${before.until.slice(0, 10)}` : '',
    ],
    ...[source, reason],
  ]);
  const drifting = all.filter(({ finding }) => finding !== 'ok').length;
  const head = ['data set', 'finding', 'since', 'before', 'source', 'reason'];
  return `${textTable(head, rows)}\n\nChecked at ${kept.checkedAt}: ${drifting} of ${all.length} sources drift.\n`;
}

interface Watched {
  /** What is kept of earlier checks; null: nothing. */
  readonly kept: KeptChecks | null;
  readonly dataSets: readonly DataSetDefinition[];
  /** Of the snapshot in service; null: there is none. */
  readonly manifest: Pick<SnapshotManifest, 'dataSets'> | null;
  readonly nowMs: number;
}

/**
 * Adds a check of all sources to what is kept. Sources that are no longer asked are forgotten.
 * Returns null when no source answered at all: then it is this machine that has no network, and nothing is known of the sources.
 */
function watch(checks: readonly SourceCheck[], watched: Watched): KeptChecks | null {
  if (checks.every(({ state }) => state === 'silent')) return null;
  const sources: Record<string, KeptSource> = {};
  for (const check of checks) {
    const name = `${check.dataSet}: ${check.source}`;
    // Two parts of one name are told apart by their order.
    const key = name in sources ? `${name} (${Object.keys(sources).length})` : name;
    sources[key] = follow(check, watched, watched.kept?.sources[key]);
  }
  return { checkedAt: new Date(watched.nowMs).toISOString(), sources };
}

function follow(check: SourceCheck, { dataSets, manifest, nowMs }: Watched, last: KeptSource | undefined): KeptSource {
  const { dataSet } = check;
  const { finding, reason, base } = judge(check, {
    base: last?.base ?? null,
    record: manifest?.dataSets[dataSet],
    termDays: dataSets.find(({ id }) => id === dataSet)?.term?.days ?? null,
    nowMs,
  });
  const seenAt = new Date(nowMs).toISOString();
  const common = {
    dataSet,
    source: inOneLine(check.source),
    finding,
    reason: inOneLine(reason),
    seenAt,
    base: base && bounded(base),
  };
  if (last === undefined) return { ...common, since: seenAt, before: null };
  if (last.finding === finding) return { ...common, since: last.since, before: last.before };
  return { ...common, since: seenAt, before: { finding: last.finding, since: last.since, until: last.seenAt } };
}

/** Entries of a list that are kept of a server. */
const MOST_ENTRIES = 1000;

function bounded(base: NonNullable<KeptSource['base']>): KeptSource['base'] {
  const short = (list: readonly string[]): string[] => list.slice(0, MOST_ENTRIES).map(inOneLine);
  return { ...base, missingFields: short(base.missingFields), list: base.list && short(base.list) };
}
