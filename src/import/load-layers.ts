import { join } from 'node:path';
import type { Command } from 'commander';
import { readCatalogue } from '../catalogue/read/read-definitions.ts';
import type { Config } from '../core/settings/config.ts';
import type { ImportInput, ImportLayersResult, ImportLayersTask, ImportProgress } from '../messages/import.ts';
import { beginJob } from '../core/snapshots/jobs.ts';
import { runWorker } from '../core/pool/run-worker.ts';
import { startBuilding } from '../core/snapshots/building.ts';
import { failureSentence } from '../core/terminal/command.ts';
import { exitCode, exitCodes, importReport } from './import-report.ts';
import {
  requireFetcher,
  type FetchOptions,
  type ImportConfig,
  type ImportReaders,
  type Shown,
  type SourceFetcher,
} from './source-fetcher.ts';
import { ProgressDisplay, type Output } from '../core/terminal/progress-display.ts';

export interface LoadLayersOptions extends FetchOptions {
  /** Folder with `sources.json`. */
  readonly from?: string;
  /** Import the bundled invented sample. */
  readonly sample?: boolean;
  /** Publish even if some data sets failed; a download from the province always does. */
  readonly partial?: boolean;
  /** Accept a data set that lost many features or lies outside Ontario. */
  readonly force?: boolean;
  /** Accept other names in a data set whose definition says that they are a fixed list. */
  readonly acceptNames?: boolean;
}

export async function register(program: Command, readers: ImportReaders): Promise<void> {
  const fetcher = await readers.fetcher();
  const without = fetcher === null ? '' : '; without --from, download them';
  const command = program
    .command('load-layers')
    .description(`import layers into a new snapshot and put it into service${without}`)
    .option('--from <DIR>', 'import the files that DIR/sources.json lists')
    .option('--sample', 'import the invented sample that comes with this project')
    .option('--only <KEY...>', 'import only these data sets or layer keys; the others stay unchanged');
  fetcher?.addOptions(command);
  command
    .option('--partial', 'with --from: publish even if some data sets fail; those keep their last good data')
    .option('--force', 'accept data sets that lost more than 5 % of their features or lie outside Ontario')
    .option('--accept-names', 'accept other names or numbers where the definition has a fixed list of them')
    .addHelpText('after', '\nExit code: 0 all data sets are up to date, 2 some failed, 1 nothing was put into service.')
    .action(async (options: LoadLayersOptions) => {
      process.exitCode = await loadLayers(readers.config(), options, process.stdout, fetcher);
    });
}

/** `land-lookup load-layers`: imports layers into a new snapshot. Returns the exit code. @param fetcher null: from files alone. */
export async function loadLayers(
  config: ImportConfig,
  options: LoadLayersOptions,
  output: Output = process.stdout,
  fetcher: SourceFetcher | null = null,
): Promise<number> {
  const display = new ProgressDisplay(output);
  const run = isRefresh(options) ? beginJob(config.dataDir, 'refresh') : null;
  try {
    const code = await load(config, options, { output, display }, fetcher);
    if (code === exitCodes.nothingPublished)
      run?.failed(
        'no data set could be taken, not all without --partial, or another snapshot was put into service meanwhile',
      );
    else run?.succeeded(code === exitCodes.partial ? 'some data sets keep their last good data' : undefined);
    return code;
  } catch (cause) {
    display.end();
    const why = failureSentence(cause);
    run?.failed(why);
    output.write(`load-layers: ${why}; the snapshot in service is unchanged\n`);
    return exitCodes.nothingPublished;
  }
}

/** All real data: neither the sample, nor a question, nor some data sets by hand. */
function isRefresh({ sample, check, only }: LoadLayersOptions): boolean {
  return sample !== true && check !== true && only === undefined;
}

async function load(
  config: ImportConfig,
  options: LoadLayersOptions,
  shown: Shown,
  fetcher: SourceFetcher | null,
): Promise<number> {
  const folder = folderOf(config, options);
  if (folder === null)
    return requireFetcher(fetcher, '--from DIR').layers(config, options, shown, (input) =>
      importInput(config, { ...options, partial: true }, { input, ...shown }),
    );
  const input: ImportInput = { kind: 'folder', from: folder, only: options.only ?? null };
  return importInput(config, options, { input, ...shown });
}

/** Returns the folder with `sources.json`, or null to download. */
function folderOf(
  { layersDir }: Pick<Config, 'layersDir'>,
  { from, sample, check, server, packages, layerId }: LoadLayersOptions,
): string | null {
  if (sample === true && from !== undefined) throw new Error('use either --sample or --from, not both');
  const folder = sample === true ? join(layersDir, 'sample') : (from ?? null);
  if (folder !== null && (check === true || [server, packages, layerId].some((one) => one !== undefined)))
    throw new Error('--check, --server, --packages and --layer-id are for a download: leave out --from and --sample');
  return folder;
}

async function importInput(
  { dataDir, minFreeDiskBytes, ...folders }: ImportConfig,
  { partial, force, acceptNames }: LoadLayersOptions,
  { input, output, display }: Shown & { readonly input: ImportInput },
): Promise<number> {
  using building = startBuilding(dataDir, minFreeDiskBytes);
  const { folder, current, minFreeBytes } = building;
  const task: ImportLayersTask = {
    kind: 'import',
    building: { folder, current, minFreeBytes },
    catalogue: readCatalogue(folders),
    input,
    partial: partial === true,
    force: force === true,
    acceptNames: acceptNames === true,
  };
  const result = await runWorker<ImportLayersTask, ImportProgress, ImportLayersResult>(
    'import-layers',
    task,
    display.show,
  );
  const chosen = result.manifest ? building.publish(result.manifest) : null;
  display.end();
  const remarks = input.kind === 'downloads' ? input.dataSets.map(({ id, remarks: own }) => [id, own] as const) : [];
  output.write(importReport(result, new Map(remarks), chosen));
  return chosen === null ? exitCode(result) : exitCodes.nothingPublished;
}
