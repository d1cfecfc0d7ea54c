import { join } from 'node:path';
import type { Command } from 'commander';
import { readConfig, type Config } from '../config.ts';
import type { DataSetOutcome, ImportLayersResult, ImportLayersTask, ImportProgress } from '../contract/import.ts';
import { runWorker } from '../pool/run-worker.ts';
import { ProgressDisplay, type Output } from './progress-display.ts';
import { textTable } from './text-table.ts';

export interface LoadLayersOptions {
  /** Folder with `sources.json`. */
  readonly from?: string;
  /** Import the bundled hand-drawn sample. */
  readonly sample?: boolean;
  /** Publish although some data sets failed. */
  readonly partial?: boolean;
  /** Data set ids. */
  readonly only?: readonly string[];
}

/** Exit codes of an import. */
export const exitCodes = { full: 0, nothingPublished: 1, partial: 2 } as const;

const usage = `load-layers needs to know what to import:
  land-lookup load-layers --from DIR   the files that DIR/sources.json lists (docs/importing.md)
  land-lookup load-layers --sample     the small hand-drawn sample that comes with this project
This version does not download from the province.
`;

export function register(program: Command): void {
  program
    .command('load-layers')
    .description('import layers into a new snapshot and put it into service')
    .option('--from <DIR>', 'folder with sources.json and the files it lists')
    .option('--sample', 'the hand-drawn sample that comes with this project')
    .option('--only <KEY...>', 'these data sets only; the others stay as they are')
    .option('--partial', 'publish although some data sets failed; those keep their last good data')
    .addHelpText(
      'after',
      '\nExit code: 0 everything was imported, 2 published without some data sets, 1 nothing was published.',
    )
    .action(async (options: LoadLayersOptions) => {
      process.exitCode = await loadLayers(readConfig(), options);
    });
}

/** `land-lookup load-layers`: imports source files into a new snapshot. Gives the exit code. */
export async function loadLayers(
  { dataDir, layersDir }: Pick<Config, 'dataDir' | 'layersDir'>,
  { from, sample, partial, only }: LoadLayersOptions,
  output: Output = process.stdout,
): Promise<number> {
  const folder = sample === true ? join(layersDir, 'sample') : from;
  if (folder === undefined || (sample === true && from !== undefined)) {
    output.write(usage);
    return exitCodes.nothingPublished;
  }
  const display = new ProgressDisplay(output);
  const task: ImportLayersTask = {
    kind: 'import',
    dataDir,
    layersDir,
    from: folder,
    only: only ?? null,
    partial: partial === true,
  };
  try {
    const result = await runWorker<ImportLayersTask, ImportProgress, ImportLayersResult>(
      'import-layers',
      task,
      display.show,
    );
    display.end();
    output.write(report(result));
    return exitCode(result);
  } catch (cause) {
    display.end();
    output.write(
      `load-layers: ${cause instanceof Error ? cause.message : 'failed'}; the snapshot in service is as it was\n`,
    );
    return exitCodes.nothingPublished;
  }
}

function exitCode({ snapshot, outcomes }: ImportLayersResult): number {
  if (snapshot === null) return exitCodes.nothingPublished;
  return outcomes.some(({ status }) => status === 'failed') ? exitCodes.partial : exitCodes.full;
}

function report({ snapshot, outcomes, kept }: ImportLayersResult): string {
  const head = ['data set', 'features', 'change', 'vertices', 'repaired', 'dropped', 'as of', 'seconds', ''];
  const table = textTable(head, outcomes.map(row));
  const keptText = kept.length > 0 ? `Kept from the last snapshot: ${kept.join(', ')}\n` : '';
  if (snapshot !== null) return `\n${table}\n\n${keptText}Snapshot ${snapshot} is in service.\n`;
  const advice = outcomes.every(({ status }) => status === 'failed') ? '' : ' (--partial publishes what did not fail)';
  return `\n${table}\n\nNothing was published${advice}: the snapshot in service is as it was.\n`;
}

function row(outcome: DataSetOutcome): string[] {
  const seconds = outcome.seconds.toFixed(1);
  if (outcome.status === 'failed') return [outcome.id, '', '', '', '', '', '', seconds, `FAILED: ${outcome.error}`];
  const { featureCount, vertexCount, repaired, dropped, asOf } = outcome.record;
  const number = (value: number) => value.toLocaleString('en-CA');
  const sum = Object.values(dropped).reduce((total, count) => total + count, 0);
  const why = Object.entries(dropped).map(([reason, count]) => `${number(count)} ${reason}`);
  return [
    outcome.id,
    number(featureCount),
    change(featureCount, outcome.previousCount),
    number(vertexCount),
    number(repaired),
    number(sum),
    asOf,
    seconds,
    why.join(', '),
  ];
}

function change(count: number, previous: number | null): string {
  if (previous === null) return 'new';
  const difference = count - previous;
  return difference > 0 ? `+${difference.toLocaleString('en-CA')}` : difference.toLocaleString('en-CA');
}
