import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { allAnswers } from '../../catalogue/catalogue.ts';
import { readCatalogue, type DefinitionFolders } from '../../catalogue/read/read-definitions.ts';
import type { Readers } from '../../feature.ts';
import type { Config } from '../../core/settings/config.ts';
import { isReal, type CellComparison, type VerifyProgress, type VerifyTask } from '../../messages/verify.ts';
import { runWorker } from '../../core/pool/run-worker.ts';
import { requireCurrentSnapshot } from '../../core/snapshots/current.ts';
import { ProgressDisplay, type Output } from '../../core/terminal/progress-display.ts';
import { textTable, wholeNumber } from '../../core/terminal/command.ts';
import { grouped } from '../../words.ts';

export function register(program: Command, { config }: Readers): void {
  program
    .command('verify')
    .description(
      'compare answers and evidence from the cell index of the snapshot in service with its feature tables on a sample of places',
    )
    .option(
      '--sample <N>',
      'places: a quarter each at addresses, anywhere, within 1 m of a boundary, and within 1 m of a distance at which an answer changes',
      count,
      2000,
    )
    .option('--seed <N>', 'another number chooses other places', count, 1)
    .addHelpText(
      'after',
      '\nExit code: 0 if they agree apart from the rounding of vertices to centimetres, otherwise 1.',
    )
    .action(async (options: Parameters<typeof verifyCommand>[1]) => {
      process.exitCode = await verifyCommand(config(), options);
    });
}

const count = wholeNumber(999_999_999);

/** `land-lookup verify`. Returns the exit code. @throws Error without a snapshot, or when it has no index. */
export async function verifyCommand(
  { dataDir, ...folders }: Pick<Config, 'dataDir'> & DefinitionFolders,
  {
    sample,
    seed,
  }: {
    /** Places to compare at. */
    readonly sample: number;
    readonly seed: number;
  },
  output: Output = process.stdout,
): Promise<number> {
  const { id, dir } = requireCurrentSnapshot(dataDir);
  const answers = allAnswers(readCatalogue(folders));
  const display = new ProgressDisplay(output);
  const threads = availableParallelism();
  const done = new Array<number>(threads).fill(0);
  const shares = done.map((_, thread): VerifyTask => {
    const places = Math.ceil(sample / threads);
    return { folder: dir, answers, places, seed: seed * threads + thread };
  });
  const compare = (task: VerifyTask, thread: number): Promise<CellComparison> =>
    runWorker<VerifyTask, VerifyProgress, CellComparison>('verify-cells', task, (progress) => {
      done[thread] = progress.done;
      display.show({ kind: 'rows', name: 'places', unit: 'rows', done: sum(done), total: sample });
    });
  const found = await Promise.all(shares.map(compare));
  display.end();
  output.write(`${report(found)}\nSnapshot ${id}, seed ${seed}.\n`);
  return found.some(({ wrong }) => wrong > 0) ? 1 : 0;
}

function report(found: readonly CellComparison[]): string {
  const told = found.flatMap((one) => one.told);
  const total = (of: (one: CellComparison) => number): string => grouped(sum(found.map(of)));
  const head = ['layer', 'lat', 'lon', 'cell index', 'feature tables', 'boundary in m', ''];
  const rows = told.map((one) => [
    one.key,
    one.lat.toFixed(7),
    one.lon.toFixed(7),
    one.indexed,
    one.reference,
    one.boundaryDistanceM === null ? 'far' : one.boundaryDistanceM.toFixed(3),
    isReal(one) ? 'WRONG' : 'rounding',
  ]);
  const summary =
    `${total((one) => one.answers)} answers at ${total((one) => one.places)} places compared, ` +
    `${total((one) => one.disagreements)} differ, ${total((one) => one.wrong)} by more than rounding.`;
  return rows.length > 0 ? `${textTable(head, rows)}\n${summary}` : summary;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
