/**
 * `npm run weigh -- REV` prints four figures of the project: what must be known to change it, what a request passes, what its tests cost, and what must be
 * read. What git can tell stands beside the same of the commit REV, or else of the one before HEAD. TEST_TIMES=FILE names what `make test` wrote.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { projectDir } from '../../src/project/project.ts';
import { startService } from '../../src/service.ts';
import { capturingLogger, NO_EXAMPLES } from '../support/drivers/front-end.ts';
import { SERVICE_ENV } from '../support/drivers/running-service.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';

const MOST_BYTES = 1e9;
const WARM_LOOKUPS = 20;
/** A timer of the service may run beside one of them. */
const COUNTED_LOOKUPS = 5;
/** Functions as wholes, not blocks of code. */
const EACH_CALL = { callCount: true, detailed: false };

const rev = process.argv[2] ?? 'HEAD~1';
const commit = git('rev-parse', '--short', '--verify', `${rev}^{commit}`).trim();
const { main, thread } = await functionsOfLookup();
process.stdout.write(`Here | at ${rev} (${commit})
1. Source outside features: ${beside(source)}
2. One plain lookup runs, in the main thread: ${main} | not counted
   and in a lookup thread: ${thread} | not counted
3. Processor time of the tests: ${testTimes(process.env['TEST_TIMES'])} | not measured
4. Words of docs without decisions: ${beside((tree) => words(tree, 'docs/*.md', ':!docs/decisions'))}
   and of decisions: ${beside((tree) => words(tree, 'docs/decisions/*.md'))}
`);

/** A figure of the files here, also of those that are not committed, and of the commit. */
function beside(figure: (tree: string) => string): string {
  return `${figure('--untracked')} | ${figure(commit)}`;
}

function source(tree: string): string {
  const counts = grep(
    tree,
    ['--count', '-e', ''],
    [
      'src',
      'workers',
      ':!src/features',
      ':!workers/areas',
      ':!workers/maps',
      ':!workers/rules',
      ':!workers/suggest',
      ':!workers/coverage',
      ':!workers/explain',
      ':!workers/verify',
    ],
  ).map(Number);
  return `${sum(counts)} lines in ${counts.length} files`;
}

function words(tree: string, ...paths: string[]): string {
  return String(grep(tree, ['--only-matching', '-E', '-e', '[^[:space:]]+'], paths).length);
}

/** The lines that git prints of the text files at the paths. */
function grep(tree: string, what: readonly string[], paths: readonly string[]): string[] {
  return git('grep', '-I', '-h', '--no-line-number', '--no-color', ...what, tree, '--', ...paths)
    .trimEnd()
    .split('\n');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: projectDir, encoding: 'utf8', maxBuffer: MOST_BYTES });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Of the file that test/support/drivers/file-times.ts writes. A file of tests that ran more than once counts as it ran last. */
function testTimes(file: string | undefined): string {
  if (file === undefined) return 'not measured';
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
  const seconds = new Map(
    rows.map((row) => {
      const [, own, children, name] = row.split('\t');
      return [name, Number(own) + Number(children)];
    }),
  );
  return `${Math.round(sum([...seconds.values()]))} s in ${seconds.size} files`;
}

/** The service is asked for the same address again and again: of the lookups that are counted, the fewest functions. */
async function functionsOfLookup(): Promise<{ readonly main: string; readonly thread: string }> {
  const take = await countFunctions();
  using folder = ownSampleFolder();
  const [key] = await issueKeys({ dataDir: folder.path }, { count: 1 });
  const { lines, logger } = capturingLogger();
  const config = readConfig({ DATA_DIR: folder.path, ...SERVICE_ENV });
  await using service = await startService(config, { logger, parts: NO_EXAMPLES, startsLate: true });
  const ask = async (): Promise<void> => {
    const before = lines.length;
    const response = await fetch(`${service.url}/api/lookup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(SAMPLE_ADDRESS),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    // The log line of a request comes after its answer.
    while (lines.length === before) await sleep(1);
  };
  for (let i = 0; i < WARM_LOOKUPS; i++) await ask();
  const counted: RanTogether[] = [];
  for (let i = 0; i < COUNTED_LOOKUPS; i++) {
    await take(ask);
    await ask();
    counted.push(await take(ask));
  }
  return {
    main: fewest(counted.map(({ main }) => main)),
    thread: fewest(counted.map(({ thread }) => thread)),
  };
}

interface Ran {
  /** Their addresses, one after the other. */
  readonly files: string;
  readonly summary: string;
  readonly functions: number;
}

function fewest(rans: readonly Ran[]): string {
  return rans.reduce((least, ran) => (ran.functions < least.functions ? ran : least)).summary;
}

function ranIn({ result }: Pick<Profiler.TakePreciseCoverageReturnType, 'result'>): Ran {
  const files = result
    .filter(({ url }) => /^file:.*\/(?:src|workers)\//.test(url.replace(/\/node_modules\/.*/, '')))
    .map(({ url, functions }) => ({ url, functions: functions.filter(({ ranges }) => ranges[0]!.count > 0).length }))
    .filter(({ functions }) => functions > 0);
  const functions = sum(files.map((file) => file.functions));
  return {
    files: files.map(({ url }) => url).join('\n'),
    summary: `${functions} functions of ${files.length} files`,
    functions,
  };
}

interface RanTogether {
  readonly main: Ran;
  /** In the thread that answered. */
  readonly thread: Ran;
}

/**
 * Gives what takes the functions that have run since it was last called: in this thread, and in the one that answers lookups. A thread without work sleeps
 * and replies when it has something to do, which is what `wake` gives it: a lookup more of the same runs no other functions.
 */
async function countFunctions(): Promise<(wake: () => Promise<void>) => Promise<RanTogether>> {
  const session = new Session();
  const threads = new Set<string>();
  const replies: Ran[] = [];
  let id = 0;
  let asked = 0;
  const send = (sessionId: string, method: string, params: object = {}): void => {
    const message = JSON.stringify({ id: ++id, method, params });
    void session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  };
  session.connect();
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    threads.add(sessionId);
    send(sessionId, 'Profiler.enable');
    send(sessionId, 'Profiler.startPreciseCoverage', EACH_CALL);
  });
  session.on('NodeWorker.detachedFromWorker', ({ params }) => threads.delete(params.sessionId));
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const reply = JSON.parse(params.message) as { id: number; result: Partial<Profiler.TakePreciseCoverageReturnType> };
    if (reply.id <= asked || !reply.result.result) return;
    const ran = ranIn({ result: reply.result.result });
    if (ran.files.includes('/workers/engine/')) replies.push(ran);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', EACH_CALL);
  return async (wake) => {
    replies.length = 0;
    asked = id;
    const main = session.post('Profiler.takePreciseCoverage');
    while (replies.length === 0) {
      // The reply to an earlier one may have come too late, and have taken everything.
      for (const sessionId of threads) send(sessionId, 'Profiler.takePreciseCoverage');
      await wake();
    }
    return { main: ranIn(await main), thread: replies[0]! };
  };
}
