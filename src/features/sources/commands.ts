import type { Command } from 'commander';
import type { Readers } from '../../feature.ts';
import { takeLock } from '../../core/files/lock.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { patient, type RetryPolicy } from '../../core/outbound/retry.ts';
import { currentSnapshot } from '../../core/snapshots/current.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { asJob, failureSentence, textTable } from '../../core/terminal/command.ts';
import { ProgressDisplay, type Output } from '../../core/terminal/progress-display.ts';
import { readCatalogue } from '../../catalogue/read/read-definitions.ts';
import type { FetchOptions, ImportConfig, SourceFetcher, SourceCheck } from '../../import/source-fetcher.ts';
import { inOneLine, keptFile, readKept, writeKept, type KeptChecks, type KeptSource } from './kept-checks.ts';
import type { DataSetDefinition } from '../../catalogue/definition.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import { judge, type Finding } from './judge.ts';

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

/** Where the command writes: what is kept, and besides progress and what went wrong. */
type Outputs = Readonly<Record<'out' | 'err', Output>>;

/** Prints what is kept of the sources, with `check` after asking them. Returns the exit code. @param fetcher null: nothing can ask them. */
export async function sources(
  config: ImportConfig,
  options: SourcesOptions,
  fetcher: SourceFetcher | null,
  { out, err }: Outputs,
): Promise<number> {
  const say = (words: string): void => void err.write(`sources: ${words}\n`);
  const tell = (cause: unknown): boolean => {
    say(failureSentence(cause));
    return true;
  };
  if (fetcher === null) say(NO_CHECKS);
  const { check: isAsked = false } = options;
  const ask = async (): Promise<boolean> =>
    fetcher === null ||
    check(config, options, { fetcher, say, display: new ProgressDisplay(err) }).then(() => false, tell);
  const hasFailed = isAsked && (await ask());
  // A check has said it already.
  const kept = readKept(config.dataDir, isAsked ? () => undefined : say);
  out.write(options.json === true ? `${JSON.stringify(asJson(kept), null, 2)}\n` : table(kept));
  if (hasFailed) return 1;
  return kept && Object.values(kept.sources).some(({ finding }) => finding !== 'ok') ? DRIFT : 0;
}

interface Asking {
  readonly fetcher: SourceFetcher;
  readonly say: (words: string) => void;
  readonly display: ProgressDisplay;
}

/** Asks all sources, keeps what they show, and says what has changed. @throws Error when nothing could be learnt of them. */
async function check(config: ImportConfig, options: SourcesOptions, { fetcher, say, display }: Asking): Promise<void> {
  const { dataDir } = config;
  makeFolder(snapshotsFolder(dataDir));
  const lock = takeLock(`${keptFile(dataDir)}.lock`, 'another check of the sources is running');
  await asJob(dataDir, 'sources', async () => {
    const checks = await fetcher.check(config, { retry, ...options }, display);
    const kept = readKept(dataDir, (damage) => {
      say(`${damage}: begun anew`);
    });
    if (checks.every(({ state }) => state === 'silent'))
      throw new Error('no source answered, so this machine has no network: what is kept stays as it was');
    const now = watch(checks, {
      kept,
      ...{ dataSets: readCatalogue(config).dataSets, records: currentSnapshot(dataDir)?.manifest.dataSets ?? {} },
      nowMs: options.nowMs ?? Date.now(),
    });
    writeKept(dataDir, now);
    for (const one of Object.values(now.sources)) if (one.since === now.checkedAt && one.before) say(changeOf(one));
  }).finally(() => {
    lock[Symbol.dispose]();
  });
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
  const rows = all.map(({ dataSet, source, finding, since, before, reason }) => {
    const was = before ? `${before.finding}, ${before.since.slice(0, 10)} to ${before.until.slice(0, 10)}` : '';
    return [dataSet, finding, since.slice(0, 10), was, source, reason];
  });
  const drifting = all.filter(({ finding }) => finding !== 'ok').length;
  const head = ['data set', 'finding', 'since', 'before', 'source', 'reason'];
  return `${textTable(head, rows)}\n\nChecked at ${kept.checkedAt}: ${drifting} of ${all.length} sources drift.\n`;
}

interface Watched {
  /** What is kept of earlier checks; null: nothing. */
  readonly kept: KeptChecks | null;
  readonly dataSets: readonly DataSetDefinition[];
  /** Of the snapshot in service. */
  readonly records: SnapshotManifest['dataSets'];
  readonly nowMs: number;
}

/** Adds a check of all sources to what is kept. Sources that are no longer asked are forgotten. */
function watch(checks: readonly SourceCheck[], { kept, dataSets, records, nowMs }: Watched): KeptChecks {
  const checkedAt = new Date(nowMs).toISOString();
  const sources: Record<string, KeptSource> = {};
  for (const check of checks) {
    const { dataSet } = check;
    const name = `${dataSet}: ${check.source}`;
    let key = name;
    // Two parts of one name are told apart by their order.
    for (let number = 2; key in sources; number++) key = `${name} (${number})`;
    const last = kept?.sources[key];
    // As they are kept: with other spaces they would be others each night.
    const judged = judge(check.layer ? { ...check, layer: bounded(check.layer) } : check, {
      ...{ base: last?.base ?? null, record: records[dataSet], nowMs },
      termDays: dataSets.find(({ id }) => id === dataSet)?.term?.days ?? null,
    });
    sources[key] = {
      ...{ dataSet, source: inOneLine(check.source), finding: judged.finding, reason: inOneLine(judged.reason) },
      ...{ seenAt: checkedAt, base: judged.base },
      ...historyOf(judged.finding, last, checkedAt),
    };
  }
  return { checkedAt, sources };
}

/** Since when it is found, and what was found before. */
function historyOf(finding: Finding, last: KeptSource | undefined, now: string): Pick<KeptSource, 'since' | 'before'> {
  if (last === undefined) return { since: now, before: null };
  if (last.finding === finding) return { since: last.since, before: last.before };
  return { since: now, before: { finding: last.finding, since: last.since, until: last.seenAt } };
}

/** Entries of a list that are kept of a server. */
const MOST_ENTRIES = 1000;

function bounded(layer: NonNullable<SourceCheck['layer']>): typeof layer {
  const short = (list: readonly string[]): string[] => list.slice(0, MOST_ENTRIES).map(inOneLine);
  return { ...layer, missingFields: short(layer.missingFields), list: layer.list && short(layer.list) };
}
