import type { SourceCheck } from '../../import/source-fetcher.ts';
import type { DataSetDefinition } from '../../catalogue/definition.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import { judge } from './judge.ts';
import { inOneLine, type KeptChecks, type KeptSource } from './kept-checks.ts';

export interface Watched {
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
export function watch(checks: readonly SourceCheck[], watched: Watched): KeptChecks | null {
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
