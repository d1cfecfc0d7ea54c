/**
 * Plants one fault after another in a copy of the project, and expects a test to fail over it: a test that no fault can make fail proves nothing.
 * `make release PARTS=faults` runs all of `faults.ts`; with FAULT=ID one, or some. Ends with 1 when a fault is not caught, or cannot be planted.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { faults, plant, type Fault } from './faults.ts';

/** What is there to run the tests with, and is not copied. */
const LINKED = ['node_modules', '.node', '.nginx'];

const MOCHA = join(projectDir, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** More than any of the tests takes; a fault may make one wait for ever. */
const MOST_MS = 600_000;

/** Failures of what surrounds tests, in the words of Mocha: a fault that lets no test begin proves no test. */
const HOOK = /^"(before|after) (all|each)" hook/;

const chosen = (process.env['FAULT'] ?? '').split(/[ ,]+/).filter(Boolean);

/** @throws Error when there is none. */
function faultCalled(id: string): Fault {
  const found = faults.find((fault) => fault.id === id);
  if (found) return found;
  throw new Error(`there is no fault "${id}": ${faults.map((fault) => fault.id).join(', ')}`);
}

function plantAll(list: readonly Fault[]): void {
  using folder = temporaryFolder();
  copyProject(folder.path);
  const copy = new ProjectCopy(folder.path);
  let missed = 0;
  for (const fault of list) {
    const startMs = performance.now();
    const verdict = copy.verdictOn(fault);
    if (!verdict.isCaught) missed++;
    tell(fault, verdict, (performance.now() - startMs) / 1000);
  }
  console.log(`${list.length - missed} of ${list.length} planted faults are caught`);
  if (missed > 0) process.exitCode = 1;
}

/** Copies what git knows or would know, so that nobody's files are changed. The copy has the pages that its tests look at. */
function copyProject(to: string): void {
  const { stdout } = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], projectDir);
  for (const file of stdout.split('\0').filter((name) => name !== '' && existsSync(join(projectDir, name)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(projectDir, file), join(to, file), { verbatimSymlinks: true });
  }
  for (const name of LINKED)
    if (existsSync(join(projectDir, name))) symlinkSync(join(projectDir, name), join(to, name));
  const { status, stderr } = run('npm', ['run', '--silent', 'build-pages'], to);
  if (status !== 0) throw new Error(`the pages of the copy cannot be built: ${stderr}`);
}

interface Verdict {
  readonly isCaught: boolean;
  /** The tests that failed over it, or why it is not caught. */
  readonly words: string;
}

interface TestRun {
  /** Null: the file was not run to its end, for example because it cannot be loaded. */
  readonly failed: readonly string[] | null;
  readonly passes: number;
  readonly output: string;
}

class ProjectCopy {
  readonly #folder: string;
  /** Of the tests on the program as it is, by file and title. */
  readonly #unplanted = new Map<string, TestRun>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  verdictOn(fault: Fault): Verdict {
    const file = join(this.#folder, fault.file);
    const missed = (words: string): Verdict => ({ isCaught: false, words });
    const test = join(this.#folder, fault.test);
    if (!existsSync(test)) return missed(`${fault.test} is not there: name the test that catches it now`);
    if (!existsSync(file)) return missed(`${fault.file} is not there: name the file that has the line now`);
    const text = readFileSync(file, 'utf8');
    const planted = plant(fault, text);
    if (planted === null) return missed('its line is not there, or more than once: name the line as it is now');
    const asItIs = this.#runUnplanted(fault);
    if (asItIs.failed === null || asItIs.failed.length > 0)
      return missed(`${named(fault)} fails without the fault:\n${asItIs.output}`);
    if (asItIs.passes === 0) return missed(`${fault.test} has no test whose title has "${fault.title ?? ''}"`);
    writeFileSync(file, planted);
    try {
      return this.#verdictOf(fault);
    } finally {
      writeFileSync(file, text);
    }
  }

  #verdictOf(fault: Fault): Verdict {
    const { failed, output } = this.#run(fault, ['--bail']);
    if (failed === null) return { isCaught: false, words: `${named(fault)} does not run with the fault:\n${output}` };
    const tests = failed.filter((title) => !HOOK.test(title));
    if (tests.length > 0) return { isCaught: true, words: tests.join(', ') };
    const why = failed.length > 0 ? `only a hook fails: ${failed.join(', ')}` : 'passes with the fault';
    return { isCaught: false, words: `${named(fault)}: ${why}` };
  }

  #runUnplanted(fault: Fault): TestRun {
    const name = named(fault);
    let known = this.#unplanted.get(name);
    if (known === undefined) this.#unplanted.set(name, (known = this.#run(fault, [])));
    return known;
  }

  #run({ test, title }: Pick<Fault, 'test' | 'title'>, options: readonly string[]): TestRun {
    const report = join(this.#folder, 'report.json');
    rmSync(report, { force: true });
    const only = title === undefined ? [] : ['--fgrep', title];
    const reporter = ['--reporter', 'json', '--reporter-option', `output=${report}`];
    const { stdout, stderr } = run(process.execPath, [MOCHA, ...reporter, ...options, ...only, test], this.#folder);
    const output = `${stdout}\n${stderr}`.trim();
    if (!existsSync(report)) return { failed: null, passes: 0, output };
    const { failures, stats } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const words = failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message ?? ''}`).join('\n');
    return { failed: failures.map(({ title: of }) => of), passes: stats.passes, output: words };
  }
}

/** What Mocha's reporter `json` writes, as far as it is read. */
interface Report {
  readonly stats: { readonly passes: number };
  readonly failures: readonly {
    readonly title: string;
    readonly fullTitle: string;
    readonly err: { readonly message?: string };
  }[];
}

function run(program: string, args: readonly string[], cwd: string) {
  // The copy is a project of its own: its tests share nothing with a run that started this program. They compile its files once.
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_COMPILE_CACHE: join(cwd, 'node.cache') };
  delete env['LAND_LOOKUP_TEST_RUN'];
  return spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: MOST_MS, maxBuffer: 1 << 28 });
}

const named = ({ test, title }: Fault): string => (title === undefined ? test : `${test}, "${title}"`);

function tell({ id, file, find, why, test }: Fault, { isCaught, words }: Verdict, seconds: number): void {
  const line = lineOf(join(projectDir, file), find);
  const where = line === null ? file : `${file}:${line}`;
  console.log(`${isCaught ? 'caught    ' : 'NOT CAUGHT'} ${id}, ${where}, ${seconds.toFixed(1)} s`);
  console.log(`           ${why}`);
  console.log(`           ${isCaught ? `${test}: ` : ''}${words}`);
}

function lineOf(file: string, find: string): number | null {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const at = text.indexOf(find);
  return at < 0 ? null : text.slice(0, at).split('\n').length;
}

plantAll(chosen.length === 0 ? faults : chosen.map(faultCalled));
