/** Our program and PostgreSQL in turns. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { percentiles } from '../percentiles.ts';
import type { Cluster } from './cluster.ts';

/** Latencies in ms of requests, one after the other, for so many seconds. */
export type Contender = (seconds: number) => number[];

let contenders = 0;

/** One client of pgbench that repeats a script with a prepared statement. */
export function pgContender(cluster: Cluster, script: string): Contender {
  const name = `contender-${++contenders}`;
  const file = join(cluster.folder, `${name}.sql`);
  writeFileSync(file, script);
  let round = 0;
  return (seconds) => {
    const log = `${name}-round-${++round}`;
    cluster.pgbench([
      ...['-n', '-c', '1', '-M', 'prepared', '-T', String(seconds), '-f', file],
      ...['-l', '--log-prefix', log, '--random-seed', String(round)],
    ]);
    return readdirSync(cluster.folder)
      .filter((name) => name.startsWith(`${log}.`))
      .flatMap((name) => readFileSync(join(cluster.folder, name), 'utf8').trimEnd().split('\n'))
      .map((line) => Number(line.split(' ')[2]) / 1000);
  };
}

export interface Turns {
  readonly rounds: number;
  readonly roundS: number;
  readonly warmUpS: number;
  /** What is counted: `lookups`. */
  readonly of: string;
}

/** Prints each round, and how many times as many requests ours answers by the medians of the rounds as each of the others, which are given by name. */
export function takeTurns(
  mine: Contender,
  theirs: Readonly<Record<string, Contender>>,
  { rounds: count, roundS, warmUpS, of }: Turns,
): void {
  const all = Object.entries({ 'cell index': mine, ...theirs });
  for (const [, contender] of all) contender(warmUpS);
  const rounds = Array.from({ length: count }, (_, i) =>
    all.map(([name, contender]) => figuresOf(`${name}, round ${i + 1}`, contender(roundS))),
  );
  console.table(all.flatMap((_, i) => rounds.map((round) => round[i]!)));
  const [ours, ...others] = all.map((_, i) => percentiles(rounds.map((round) => round[i]!.perSecond)).p50);
  others.forEach((median, i) => {
    const ratio = (ours! / median).toFixed(1);
    console.log(`cell index against ${all[i + 1]![0]}, medians of ${of} per second: ${ratio} times`);
  });
}

function figuresOf(path: string, timesMs: readonly number[]) {
  const { mean, p50, p99 } = percentiles(timesMs);
  return { path, perSecond: Math.round(1000 / mean), 'p50 ms': p50, 'p99 ms': p99, count: timesMs.length };
}
