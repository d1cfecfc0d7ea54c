/**
 * Installs the Debian package on a booted machine with a running systemd, walks through docs/operations.md there, and kills the machine under load:
 * `make test-vm` (SUITE=bookworm or trixie, KILLS=2, RATE, MINUTES=20). It upgrades to the same package with a higher version; with FROM=FILE,
 * the package of an earlier version, from that one to the one in dist/. MACHINE=container is a booted container, as fast as this machine, with 200
 * lookups per second. MACHINE=emulated has a kernel of its own, CORES=2, loses what was not on its disk, and takes ten to twenty times as long: 10 per
 * second. STEPS=power leaves out all steps but the kills and what they need.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectDir } from '../../src/project/project.ts';
import { makeCertificate } from '../support/doubles/certificate.ts';
import { BootedContainer } from './booted-container.ts';
import { EmulatedMachine } from './emulated-machine.ts';
import type { Guest, GuestOptions } from './guest.ts';
import { makeDataDisk, makeDisks, makeRoot, nextPackage } from './image.ts';
import { KeptAnswers } from './kept-answers.ts';
import { ProxyLoad } from './proxy-load.ts';
import { freePort } from '../support/drivers/free-port.ts';

const suite = process.env['SUITE'] ?? 'bookworm';
const kills = Number(process.env['KILLS'] ?? 2);
const isEmulated = kindOfMachine() === 'emulated';
/** Only what a power failure needs, because an emulated machine takes a quarter of an hour for the installation and the steps before it. */
const isShort = process.env['STEPS'] === 'power';
const perSecond = Number(process.env['RATE'] ?? (isEmulated ? 10 : 200));
const cores = Number(process.env['CORES'] ?? 2);
const deadlineMs = Number(process.env['MINUTES'] ?? 20) * 60_000;
/** An emulated machine answers some ten a second. */
const questions = isEmulated ? 50 : 500;
/** Load before each kill. */
const LOAD_MS = 20_000;

const startMs = performance.now();
const work = join(projectDir, '.make');
mkdirSync(work, { recursive: true });
const folder = mkdtempSync(join(work, `vm-${suite}-`));
const certificate = makeCertificate(folder);
const built = packageFor(suite);
const earlier = process.env['FROM'];
console.log(`# ${suite}: making the machine`);
const root = makeRoot({
  ...{ suite, folder, commands: runbookCommands(), hasKernel: isEmulated },
  files: {
    first: earlier ?? built,
    next: earlier === undefined ? nextPackage(folder, built) : built,
    certificate: certificate.file,
  },
});
const data = makeDataDisk(folder);
const port = isEmulated ? await freePort() : 443;
const newGuest = machineMaker();
const requests = requestsOfWalk();
console.log(`# made in ${seconds(startMs)} s`);

let failures = 0;
let load: ProxyLoad | null = null;
let kept: KeptAnswers | null = null;
const deadline = new AbortController();
const timer = setTimeout(() => {
  deadline.abort();
}, deadlineMs);
// A machine must not go on after the program that watches it.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    deadline.abort();
  });

try {
  await boot(isShort ? 'power' : '1', true);
  for (let kill = 1; kill < kills; kill++) await boot('kill', true);
  await boot(isShort ? 'power-last' : 'last', false);
} catch (cause) {
  failures++;
  console.log(`not ok ${cause instanceof Error ? cause.message : String(cause)}`);
}
clearTimeout(timer);
console.log(
  `# ${suite}: ${failures === 0 ? 'all steps passed' : `${failures} steps failed`}, ${seconds(startMs)} s in all`,
);
if (failures === 0) rmSync(folder, { recursive: true });
else console.log(`# what the machine printed is in ${folder}`);
process.exit(failures === 0 ? 0 : 1);

/** Runs a part of the walk until the machine ends, or kills it under the load that the part's end asks for. */
async function boot(part: string, isKilled: boolean): Promise<void> {
  const bootMs = performance.now();
  console.log(`# the machine starts (${part})`);
  const seen = { isWalked: false, isSteady: false };
  let becomesSteady = (): void => undefined;
  const steady = new Promise<void>((resolve) => {
    becomesSteady = resolve;
  });
  const guest = newGuest({
    ...{ data, part, console: join(folder, `console-${part}.log`) },
    onLine: (line) => {
      if (/^(ok|not ok|#) /.test(line)) console.log(line);
      if (line.startsWith('not ok')) countFailure();
      for (const [words, act] of requests) if (line.startsWith(words)) act(line.slice(words.length), guest);
      if (line === 'load until killed') {
        load?.begin();
        seen.isSteady = true;
        becomesSteady();
      }
      if (line === 'walked') seen.isWalked = true;
    },
  });
  const aborted = once(deadline.signal, 'abort').then(() => {
    throw new Error('the time is over, or the walk was interrupted');
  });
  try {
    await Promise.race([guest.ended, aborted, steady]);
    if (seen.isSteady) {
      await Promise.race([sleep(LOAD_MS), aborted]);
      await guest.kill();
      await load?.cut();
      console.log(`# killed under load, ${load?.received.size ?? 0} answers so far`);
    }
  } finally {
    await guest.kill();
  }
  if (isKilled !== seen.isSteady) throw new Error(`the machine ended in part ${part}: ${guest.errors}`);
  if (!isKilled && !seen.isWalked) throw new Error('the walk did not end');
  console.log(`# part ${part}: ${seconds(bootMs)} s`);
}

/** What the walk asks for, by the first words of its line. */
function requestsOfWalk(): readonly (readonly [string, (rest: string, guest: Guest) => void])[] {
  const answer = (guest: Guest, figures?: Promise<string>): void => {
    void figures?.then((line) => {
      guest.say(line);
    });
  };
  return [
    [
      'key ',
      (key) => {
        const service = { url: `https://127.0.0.1:${port}`, ca: certificate.ca, key };
        load = new ProxyLoad(service, perSecond);
        kept = new KeptAnswers(service, questions);
      },
    ],
    ['load begins', () => load?.begin()],
    [
      'load ends',
      (_, guest) => {
        answer(guest, load?.end());
      },
    ],
    [
      'compare answers ',
      (name, guest) => {
        answer(guest, kept?.compare(name));
      },
    ],
    [
      'ids ',
      (ids) => {
        compareIds(new Set(ids.split(' ')));
      },
    ],
  ];
}

/** A step that failed has not ended its load. */
function countFailure(): void {
  failures++;
  void load?.end();
}

/** On the disk before it is on the wire: each answer that a client received is in the journal. */
function compareIds(recorded: ReadonlySet<string>): void {
  const received = [...(load?.received ?? [])];
  const missing = received.filter((id) => !recorded.has(id));
  const isComplete = missing.length === 0 && received.length > 0;
  if (!isComplete) failures++;
  console.log(
    `${isComplete ? 'ok' : 'not ok'} each answer is in the journal: ${received.length} received, ${recorded.size} recorded, ${missing.length} missing`,
  );
}

function kindOfMachine(): 'container' | 'emulated' {
  const kind = process.env['MACHINE'] ?? 'container';
  if (kind !== 'container' && kind !== 'emulated')
    throw new Error(`MACHINE is "${kind}": choose container or emulated`);
  return kind;
}

function machineMaker(): (options: GuestOptions) => Guest {
  if (!isEmulated) return (options) => new BootedContainer({ ...options, root });
  const disks = makeDisks(folder, root);
  return (options) => new EmulatedMachine({ ...options, disks, port, cores });
}

function packageFor(name: string): string {
  const version = { bookworm: 12, trixie: 13 }[name];
  const files = readdirSync(join(projectDir, 'dist'))
    .filter((entry) => entry.includes(`~deb${version}_`) && entry.endsWith('.deb'))
    .map((entry) => join(projectDir, 'dist', entry));
  // Earlier builds stay there.
  const [file] = files.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  if (version === undefined || file === undefined)
    throw new Error(`there is no package for "${name}" in dist/: make deb SUITE=${name}`);
  return file;
}

function runbookCommands(): string[] {
  const page = readFileSync(join(projectDir, 'docs', 'operations.md'), 'utf8');
  return [...page.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block]) => block!.trim().split('\n'));
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}
