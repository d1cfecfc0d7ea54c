import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import type { Series } from './alert-cases.ts';

const rulesFile = join(projectDir, 'deploy', 'monitoring', 'alerts.yml');

export interface Replay {
  readonly name: string;
  readonly minutes: number;
  readonly series: Series;
  /** Alerts that fire at any time of it; no others do. */
  readonly firing: readonly string[];
}

/**
 * Gives series to the rules, as Prometheus would have them, in its own program. Returns what does not fire as expected; empty: all does.
 * @param everyMinutes time from one evaluation of the rules to the next.
 */
export function replay(replays: readonly Replay[], everyMinutes = 1): string {
  using folder = temporaryFolder();
  const file = join(folder.path, 'test.json');
  const tests = replays.map(({ name, minutes, series, firing }) => ({
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
    promql_expr_test: [
      {
        // Also what fired in between and ended.
        expr: `group by (alertname) (count_over_time(ALERTS{alertstate="firing"}[${minutes}m]))`,
        eval_time: `${minutes}m`,
        exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  }));
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: `${everyMinutes}m`, tests }));
  const promtool = join(projectDir, '.nginx', 'usr', 'bin', 'promtool');
  const { status, stdout, stderr, error } = spawnSync(promtool, ['test', 'rules', file], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    // A third of its time is garbage collection otherwise.
    env: { ...process.env, GOGC: '400' },
  });
  if (error) throw error;
  return status === 0 ? '' : stdout + stderr;
}
