/** The table of jobs: when each last began and succeeded, whatever becomes of its files. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beginJob, msSinceSuccess, readJobs, type Job, type JobState } from '../../src/core/snapshots/jobs.ts';
import fc from '../support/drivers/fast-check.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const HOUR_MS = 3_600_000;
const ALL: readonly Job[] = ['refresh', 'address_refresh', 'follow', 'prune', 'backup', 'reconcile', 'sources'];

describe('The table of jobs', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let dataDir: string;
  let unitsDir: string;
  beforeEach(() => {
    folder = temporaryFolder();
    dataDir = join(folder.path, 'data');
    unitsDir = join(folder.path, 'units');
    mkdirSync(join(dataDir, 'snapshots'), { recursive: true });
    mkdirSync(join(unitsDir, 'timers.target.wants'), { recursive: true });
  });
  afterEach(() => {
    folder[Symbol.dispose]();
  });

  const stateOf = (job: Job): JobState => readJobs(dataDir, unitsDir).find((state) => state.job === job)!;
  const fileOf = (job: Job): string =>
    join(dataDir, ['backup', 'reconcile'].includes(job) ? '' : 'snapshots', `job-${job}.json`);
  const ageOf = (job: Job, watchedSinceMs = 0): number | null =>
    msSinceSuccess(stateOf(job), { nowMs: Date.now(), watchedSinceMs });
  const write = (job: Job, content: object): void => {
    writeFileSync(fileOf(job), JSON.stringify({ format: 1, ...content }));
  };
  const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();

  for (const job of ALL) {
    it(`notes begin, success and failure of ${job}, and keeps what still holds`, () => {
      const first = beginJob(dataDir, job);
      const begun = stateOf(job);
      expect(begun).to.include({ succeededAt: null, failed: null }).and.have.property('begunAt', begun.firstBegunAt);
      expect(Date.now() - Date.parse(begun.begunAt!)).to.be.within(0, HOUR_MS);
      first.succeeded();
      const { succeededAt } = stateOf(job);
      expect(succeededAt! >= begun.begunAt!).to.equal(true);

      const second = beginJob(dataDir, job);
      expect(stateOf(job)).to.include({ succeededAt, firstBegunAt: begun.firstBegunAt, failed: null });
      second.failed('the disk is full');
      expect(stateOf(job)).to.deep.include({ succeededAt }).and.have.nested.property('failed.why', 'the disk is full');

      beginJob(dataDir, job).succeeded('greenbelt');
      expect(stateOf(job).failed).to.deep.equal({ at: stateOf(job).succeededAt, why: 'greenbelt' });
      beginJob(dataDir, job).succeeded();
      expect(stateOf(job).failed).to.equal(null);
      // The service reads what the user of the imports writes, through its group; nobody else does.
      expect(statSync(fileOf(job)).mode & 0o777).to.equal(0o640);
      expect(readdirSync(join(fileOf(job), '..')).filter((name) => /^job/.test(name))).to.have.length(1);
    });
  }

  it('has nothing of a job that never ran here, as in the data of an earlier version', () => {
    for (const dir of [dataDir, join(folder.path, 'none')]) {
      const states = readJobs(dir, unitsDir);
      expect(states.map(({ job }) => job)).to.have.members(ALL);
      for (const { job, ...state } of states) {
        expect(state, job).to.deep.equal({
          enabledAt: null,
          firstBegunAt: null,
          begunAt: null,
          succeededAt: null,
          failed: null,
        });
        expect(msSinceSuccess({ job, ...state }, { nowMs: Date.now(), watchedSinceMs: 0 })).to.equal(null);
      }
    }
    beginJob(join(folder.path, 'none'), 'backup').failed('there is nothing');
    expect(existsSync(join(folder.path, 'none'))).to.equal(false);
  });

  it('counts from the last success, before it from the first begin, and before that from what says that the job is wanted', () => {
    const wants = (name: string): string => join(unitsDir, 'timers.target.wants', `land-lookup-${name}.timer`);
    const hours = (ms: number | null): number | null => ms && Math.round(ms / HOUR_MS);
    symlinkSync('/nowhere', wants('refresh'));
    lutimesSync(wants('refresh'), new Date(ago(50)), new Date(ago(50)));
    for (const job of ['refresh', 'prune'] as const) {
      expect(hours(ageOf(job)), job).to.equal(50);
      // An earlier version noted nothing of what it did.
      expect(hours(ageOf(job, Date.now() - 7 * HOUR_MS)), job).to.equal(7);
    }
    expect(ageOf('address_refresh')).to.equal(null);
    expect(ageOf('follow')).to.equal(null);
    write('refresh', { firstBegunAt: ago(40), begunAt: ago(1), succeededAt: null, failed: null });
    expect(hours(ageOf('refresh', Date.now()))).to.equal(40);
    write('refresh', { firstBegunAt: ago(40), begunAt: ago(1), succeededAt: ago(30), failed: null });
    expect(hours(ageOf('refresh', Date.now()))).to.equal(30);
  });

  it('does not believe a success that lies ahead: it would hide failures until then', () => {
    write('backup', { firstBegunAt: ago(100), begunAt: ago(3), succeededAt: ago(-48), failed: null });
    expect(Math.round(ageOf('backup')! / HOUR_MS)).to.equal(100);
    write('backup', { firstBegunAt: ago(100), begunAt: ago(3), succeededAt: ago(-0.5), failed: null });
    expect(ageOf('backup')).to.equal(0);
  });

  it('takes whatever is in its files for nothing known, and notes the next run', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => `{"format":1,"begunAt":${text},"failed":${text},"succeededAt":${text}}`),
    );
    const known = [
      '',
      '{',
      'null',
      '[]',
      '{"format":2,"succeededAt":"2026-01-01T00:00:00Z"}',
      'x'.repeat(100_000),
      '{"format":1,"failed":7}',
    ];
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...known), texts), (text) => {
        writeFileSync(fileOf('backup'), text);
        const { succeededAt, begunAt, failed } = stateOf('backup');
        for (const at of [succeededAt, begunAt, failed?.at ?? null])
          if (at !== null) expect(new Date(at).toISOString()).to.equal(at);
        beginJob(dataDir, 'backup').succeeded();
        expect(Date.now() - Date.parse(stateOf('backup').succeededAt!)).to.be.within(0, HOUR_MS);
      }),
      { numRuns: 60 },
    );
  });

  it('is held up by no pipe, folder, device or link in the place of a file, and harms nothing that a link leads to', () => {
    const other = join(folder.path, 'other');
    const places: Readonly<Record<string, (file: string) => void>> = {
      pipe: (file) => execFileSync('mkfifo', [file]),
      folder: (file) => mkdirSync(join(file, 'full'), { recursive: true }),
      device: (file) => {
        symlinkSync('/dev/zero', file);
      },
      link: (file) => {
        symlinkSync(other, file);
      },
      unreadable: (file) => {
        write('prune', { succeededAt: ago(1) });
        chmodSync(file, 0);
      },
    };
    for (const [kind, make] of Object.entries(places)) {
      writeFileSync(other, JSON.stringify({ format: 1, succeededAt: ago(1) }));
      make(fileOf('prune'));
      // Root reads all files.
      if (kind !== 'unreadable') expect(stateOf('prune').succeededAt, kind).to.equal(null);
      const temporary = `${fileOf('prune')}.${process.pid}`;
      symlinkSync(other, temporary);
      beginJob(dataDir, 'prune').succeeded();
      expect(stateOf('prune').succeededAt !== null, kind).to.equal(kind !== 'folder');
      expect(existsSync(temporary), kind).to.equal(false);
      expect(readFileSync(other, 'utf8'), kind).to.contain('"succeededAt"').and.not.contain('begunAt');
      rmSync(fileOf('prune'), { recursive: true });
    }
  });

  it('keeps a reason of any length short enough to be read again', () => {
    beginJob(dataDir, 'follow').failed('ä"\n'.repeat(10_000));
    expect(stateOf('follow').failed!.why).to.have.length.within(100, 1000);
    beginJob(dataDir, 'follow').succeeded('ü'.repeat(10_000));
    expect(stateOf('follow').failed!.why).to.have.length.within(100, 1000);
  });
});
