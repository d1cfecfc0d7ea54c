import { Argument, Option, type Command } from 'commander';
import { hasEnded } from '../job.ts';
import type { Readers } from '../../../feature.ts';
import type { ClientConfig, GivenClient } from '../../../core/settings/config.ts';
import { resultFormats, type BatchBody, type ResultFormat } from '../wire/batch.ts';
import { BatchServer } from './batch-server.ts';
import { runBatch } from './batch-run.ts';
import { stateOf } from './batch-state.ts';
import { batchTold } from './words.ts';
import { duration } from '../../../core/terminal/progress-display.ts';
import { formatOfEnding } from './places-file.ts';
import { stopBySignal } from './stop-by-signal.ts';
import { textTable, wholeNumber } from '../../../core/terminal/command.ts';
import { grouped } from '../../../words.ts';

interface RunArguments extends GivenClient {
  readonly detail: 'plain' | 'full';
  readonly layers?: string;
  readonly addressColumns?: string;
  readonly vintage?: string;
  readonly format?: ResultFormat;
  readonly out?: string;
  readonly resume?: string;
}

/** `land-lookup batch ...` */
export function register(program: Command, { client }: Readers): void {
  const batch = program.command('batch').description('look up many places at once on a server (docs/batches.md)');
  withServer(batch.command('run'))
    .description('send a file, wait, and get the results; after an interrupt, the same command goes on')
    .argument(
      '[file]',
      'CSV with a column "address", or columns "lat" and "lon", and "custom_id" if you like; or NDJSON',
    )
    .addOption(
      new Option('--detail <DETAIL>', 'full: with the evidence of each answer')
        .choices(['plain', 'full'])
        .default('plain'),
    )
    .option('--layers <KEYS>', 'further answers: all, or their keys with commas between them')
    .option('--address-columns <NAMES>', 'columns of the file that make the address, with commas between their names')
    .option('--vintage <ID|DAY>', 'answer from an earlier snapshot: its id, or a day as YYYY-MM-DD')
    .addOption(
      new Option('--format <FORMAT>', 'of the results (default: what the ending of --out says, else ndjson)').choices(
        resultFormats,
      ),
    )
    .option('--out <OUT>', 'a file for the results (default: standard output)')
    .option('--resume <BATCH_ID>', 'wait for a batch that was sent before, and get its results')
    .addHelpText('after', RUN_HELP)
    .action((file: string | undefined, { url, key, ...options }: RunArguments) =>
      run(client({ url, key }), file, options),
    );
  withServer(batch.command('list'))
    .description('print the batches of the key, newest first')
    .option('--most <N>', 'number of batches', wholeNumber(999_999_999), 20)
    .action(async ({ most, ...options }: GivenClient & { readonly most: number }) => {
      await withBatches(client(options), async (server) => {
        console.log(tableOf(await server.list(most)));
      });
    });
  withServer(batch.command('show'))
    .description('print one batch')
    .addArgument(new Argument('<id>', 'as "batch list" shows it'))
    .action(async (id: string, options: GivenClient) => {
      await withBatches(client(options), async (server) => {
        console.log(batchTold(await server.find(id)));
      });
    });
  withServer(batch.command('cancel'))
    .description('end a batch; the rows that are answered stay, and are billed')
    .addArgument(new Argument('<id>', 'as "batch list" shows it'))
    .action(async (id: string, options: GivenClient) => {
      await withBatches(client(options), async (server) => {
        console.log(batchTold(await server.cancel(id)));
      });
    });
}

const RUN_HELP = `
The id of the batch is printed at once, on standard error. Until all results are there, FILE.batch beside the file remembers the
batch. --url and --key can also be given as LAND_LOOKUP_URL and LAND_LOOKUP_KEY, which keeps the key out of lists of processes.

Exit code: 0 when every row has its result, whatever its outcome; 1 after an error; 2 when the batch was cancelled, failed or has
expired; 130 or 143 after a signal.`;

function withServer(command: Command): Command {
  return command
    .option('--url <URL>', 'address of the service (default: LAND_LOOKUP_URL, else http://127.0.0.1:8080)')
    .option('--key <KEY>', 'API key (default: LAND_LOOKUP_KEY)');
}

async function run(
  at: ClientConfig,
  file: string | undefined,
  { detail, layers, addressColumns, vintage, out, format, resume }: Omit<RunArguments, keyof ClientConfig>,
): Promise<void> {
  const asked = { file: file ?? null, resume: resume ?? null, out: out ?? null };
  const rows = { layers: layers ?? null, addressColumns: addressColumns ?? null, vintage: vintage ?? null };
  const hint = file === undefined ? 'the same command goes on' : `${stateOf(file)} lets the same command go on`;
  await withBatches(
    at,
    async (server, stop, url) => {
      const options = { ...asked, ...rows, url, detail, format: format ?? formatOfEnding(asked.out, resultFormats) };
      process.exitCode = await runBatch(server, options, stop.signal);
    },
    `interrupted: ${hint}. The server works on; "batch cancel" ends a batch there`,
  );
}

/** Does something with the batches of a server until a signal, and then says the hint. */
async function withBatches(
  { url, key }: ClientConfig,
  work: (server: BatchServer, stop: ReturnType<typeof stopBySignal>, url: string) => Promise<void>,
  hint = 'interrupted',
): Promise<void> {
  using stop = stopBySignal();
  const server = new BatchServer({
    url,
    key,
    stop: stop.signal,
    onWait: ({ message }, waitMs) => {
      console.error(`${message}; trying again in ${duration(Math.max(1, waitMs / 1000))}`);
    },
  });
  // Without a listener, a reader of standard output that has left would end the process with an error.
  process.stdout.on('error', stop.abort);
  try {
    await work(server, stop, url);
  } catch (cause) {
    if (!stop.signal.aborted) throw cause;
    // Without a signal, the reader of standard output has left.
    if (stop.exitCode === null) return;
    process.exitCode = stop.exitCode;
    console.error(hint);
  }
}

function tableOf(batches: readonly BatchBody[]): string {
  if (batches.length === 0) return 'this key has no batches';
  const rows = batches.map((batch) => [
    ...[batch.id, batch.state, grouped(batch.rows.done), grouped(batch.rows.total), batch.detail, batch.createdAt],
    (hasEnded(batch) ? batch.expiresAt : null) ?? '',
  ]);
  return textTable(['batch', 'state', 'answered', 'rows', 'detail', 'created', 'results until'], rows);
}
