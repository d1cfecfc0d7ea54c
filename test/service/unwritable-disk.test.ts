/** A disk that is full or becomes read-only under a serving process: nothing is answered that is not recorded. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cliArguments } from '../support/drivers/cli.ts';
import { fillDisk } from '../support/drivers/fill-disk.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { given } from '../support/drivers/given.ts';
import { LoopDisk } from './loop-disk.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { ServiceProcess } from '../support/drivers/service-process.ts';
import { serveSample } from '../support/material/snapshot-copies.ts';

const LIMIT = 100_000;
const CLIENTS = 4;

/** The log of the journal takes 4 MB before SQLite begins it anew; on a smaller disk it may leave no room by itself. */
const SMALL_DISK = 'size=16m';

/** Of one wait: far more than a service answers until it notices the change, so that one that never does fails the test with what it said. */
const MOST_ANSWERS = 20_000;

/** A way to keep a serving process from writing, and to let it write again. */
interface Fault {
  /** Of the refusals. */
  readonly reason: 'STORAGE_FULL' | 'STORAGE_UNREACHABLE';
  begin(service: RunningService): void;
  end(service: RunningService, key: string): void | Promise<void>;
}

interface Answers {
  /** Lookup ids of 200s. */
  readonly served: string[];
  /** Status and code of all others. */
  readonly refused: Record<string, number>;
  /** What the key has left by the last answer. */
  left: number;
}

describe('A data folder that cannot be written', function () {
  this.timeout(240_000);

  it('on a full file system: 503, nothing served that is not journalled, and recovery without a restart', async function () {
    using sample = ownSampleFolder();
    using folder = temporaryFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', SMALL_DISK, 'tmpfs', folder.path]).status !== 0) {
      console.log('skipped: cannot mount a small file system here');
      this.skip();
    }
    try {
      symlinkSync(join(sample.path, 'current'), join(folder.path, 'current'));
      await judge(
        folder.path,
        {
          reason: 'STORAGE_FULL',
          begin: () => {
            fillDisk(folder.path);
          },
          end: () => {
            rmSync(join(folder.path, 'filler'));
          },
        },
        () => ServiceHere.start(folder.path),
      );
    } finally {
      spawnSync('umount', ['-l', folder.path]);
    }
  });

  given('account').it(
    'on a full file system: a change of a key says that there is no room, and the key stays as it was',
    async function () {
      using sample = ownSampleFolder();
      using folder = temporaryFolder();
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', SMALL_DISK, 'tmpfs', folder.path]).status !== 0) {
        console.log('skipped: cannot mount a small file system here');
        this.skip();
      }
      try {
        symlinkSync(join(sample.path, 'current'), join(folder.path, 'current'));
        const [key] = await issueKeys({ dataDir: folder.path }, { count: 1, limitPerHour: LIMIT });
        await using service = await ServiceHere.start(folder.path);
        const change = (): Promise<Response> =>
          fetch(`${service.url}/api/account`, {
            method: 'PATCH',
            headers: { authorization: `Bearer ${key!}`, 'content-type': 'application/json' },
            body: JSON.stringify({ budgetPerMonth: 5 }),
          });
        const filler = fillDisk(folder.path);
        const refused = await change();
        expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '60']);
        expect(await refused.json()).to.include({ code: 'DB_ERROR', reason: 'STORAGE_FULL' });
        rmSync(filler);
        const changed = await change();
        expect(changed.status).to.equal(200);
      } finally {
        spawnSync('umount', ['-l', folder.path]);
      }
    },
  );

  it('on a disk that becomes read-only under open files: the same, and not ready meanwhile', async function () {
    using disk = LoopDisk.mount();
    if (!disk) {
      console.log('skipped: cannot mount a disk from a file here');
      return this.skip();
    }
    serveSample(disk.path, 1);
    await judge(
      disk.path,
      {
        reason: 'STORAGE_UNREACHABLE',
        begin: () => {
          disk.fail();
        },
        end: async (service, key) => {
          await until(service, { ready: false, journal: 'cannot be written, lookups are refused' });
          expect(await service.metrics()).to.contain('land_lookup_journal_writable 0\n');
          const told = service.lines.find(({ message }) => message === 'the usage journal cannot be written');
          expect(told?.['help']).to.match(/full \(df\) or read-only/);
          disk.takeOut();
          const { status } = await service.lookup(key, SAMPLE_ADDRESS);
          expect([status, existsSync(join(disk.path, 'usage.sqlite'))], 'without its disk').to.deep.equal([503, false]);
          disk.putIn();
          await until(service, { ready: true, journal: 'ok' });
          expect(service.lines.map(({ message }) => message)).to.contain('the usage journal can be written again');
        },
      },
      () => ServiceProcess.start(disk.path),
    );
    disk.makeReadOnly();
    const env = { ...process.env, DATA_DIR: disk.path, PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
    const start = spawnSync(process.execPath, [...cliArguments, 'serve'], { encoding: 'utf8', env, timeout: 600_000 });
    expect(start.status, start.stderr).to.equal(1);
    expect(start.stderr).to.match(/^land-lookup: DATA_DIR cannot be written.*read-only.*mount its disk for writing/);
  });

  it('for a process that may not make files longer: the same', async () => {
    using folder = ownSampleFolder();
    const started: { service: ServiceProcess | null } = { service: null };
    const limit = (bytes: string) => () => {
      limitFiles(started.service!.pid, bytes);
    };
    const fault = { reason: 'STORAGE_UNREACHABLE', begin: limit('1'), end: limit('unlimited') } as const;
    await judge(folder.path, fault, async () => (started.service = await ServiceProcess.start(folder.path)));
  });

  async function judge(
    dataDir: string,
    fault: Fault,
    start: () => Promise<RunningService & AsyncDisposable>,
  ): Promise<void> {
    const [key] = await issueKeys({ dataDir }, { count: 1, limitPerHour: LIMIT });
    const answers: Answers = { served: [], refused: {}, left: LIMIT };
    {
      await using service = await start();
      await ask(service, { key: key!, answers, done: () => answers.served.length >= 40 });
      expect(answers.refused).to.deep.equal({});
      fault.begin(service);
      await ask(service, {
        key: key!,
        answers,
        done: () => (answers.refused[`503 DB_ERROR ${fault.reason}`] ?? 0) >= 40,
      });
      const before = answers.served.length;
      await fault.end(service, key!);
      await ask(service, { key: key!, answers, done: () => answers.served.length >= before + 40 });
      await service.lookup(key!, SAMPLE_ADDRESS).then((response) => note(response, answers));
    }
    expect(Object.keys(answers.refused), 'a clear refusal').to.deep.equal([`503 DB_ERROR ${fault.reason}`]);
    expect(journalled(dataDir), 'what was served, and nothing else').to.have.members(answers.served);
    expect(answers.left, 'units given back').to.equal(LIMIT - answers.served.length);
  }
});

/** Waits until `/readyz` says this, with the status that goes with it. */
async function until(service: RunningService, expected: { readonly ready: boolean; readonly journal: string }) {
  for (;;) {
    const response = await fetch(`${service.url}/readyz`);
    const state = (await response.json()) as Record<string, unknown>;
    expect(response.status).to.equal(state['ready'] ? 200 : 503);
    if (state['journal'] === expected.journal && state['ready'] === expected.ready) return;
    await sleep(50);
  }
}

async function ask(
  service: RunningService,
  { key, answers, done }: { readonly key: string; readonly answers: Answers; readonly done: () => boolean },
): Promise<void> {
  let asked = 0;
  const client = async (): Promise<void> => {
    while (!done()) {
      expect(asked++, `served ${answers.served.length}, refused ${JSON.stringify(answers.refused)}`).to.be.below(
        MOST_ANSWERS,
      );
      await note(await service.lookup(key, SAMPLE_ADDRESS), answers);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function note(response: Response, answers: Answers): Promise<void> {
  const body = (await response.json()) as { code?: string; reason?: string };
  answers.left = Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  if (response.status === 200) {
    answers.served.push(response.headers.get('lookup-id')!);
    return;
  }
  const retryAfterS = { STORAGE_FULL: '60', STORAGE_UNREACHABLE: '10' }[body.reason ?? ''];
  expect(response.headers.get('retry-after'), 'when to try again').to.equal(retryAfterS);
  const label = `${response.status} ${body.code ?? ''} ${body.reason ?? ''}`;
  answers.refused[label] = (answers.refused[label] ?? 0) + 1;
}

function journalled(dataDir: string): string[] {
  const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
  try {
    return db.prepare<[], string>('SELECT id FROM usage').pluck().all();
  } finally {
    db.close();
  }
}

function limitFiles(pid: number, bytes: string): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
