/** Our program and PostgreSQL in turns. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { percentiles } from '../percentiles.ts';
import type { Cluster } from './cluster.ts';

/** Latencies in ms of requests, one after the other, for so many seconds. */
export type Contender = (seconds: number) => number[];

/** One client of pgbench that repeats a script with a prepared statement. */
export function pgContender(cluster: Cluster, script: string): Contender {
  const file = join(cluster.folder, 'script.sql');
  writeFileSync(file, script);
  let round = 0;
  return (seconds) => {
    const log = `round-${++round}`;
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

/** Prints each round, and how many times as many requests ours answers by the medians of the rounds. */
export function takeTurns(mine: Contender, theirs: Contender, { rounds: count, roundS, warmUpS, of }: Turns): void {
  mine(warmUpS);
  theirs(warmUpS);
  const rounds = Array.from({ length: count }, (_, i) => ({
    ours: figuresOf(`cell index, round ${i + 1}`, mine(roundS)),
    postgis: figuresOf(`PostGIS, round ${i + 1}`, theirs(roundS)),
  }));
  console.table([...rounds.map(({ ours }) => ours), ...rounds.map(({ postgis }) => postgis)]);
  const median = (rows: readonly ReturnType<typeof figuresOf>[]): number =>
    percentiles(rows.map(({ perSecond }) => perSecond)).p50;
  const ratio = median(rounds.map(({ ours }) => ours)) / median(rounds.map(({ postgis }) => postgis));
  console.log(`cell index against PostGIS, medians of ${of} per second: ${ratio.toFixed(1)} times`);
}

function figuresOf(path: string, timesMs: readonly number[]) {
  const { mean, p50, p99 } = percentiles(timesMs);
  return { path, perSecond: Math.round(1000 / mean), 'p50 ms': p50, 'p99 ms': p99, count: timesMs.length };
}
