/** The snapshot in service follows `current` while lookups go on. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { AppError } from '../../src/messages/problems.ts';
import { Gate } from '../../src/core/pool/gate.ts';
import { readManifest } from '../../src/core/snapshots/current.ts';
import { currentLink, snapshotsFolder } from '../../src/core/snapshots/folders.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { SnapshotService } from '../../src/core/pool/snapshot-service.ts';
import { until, untilLogged } from '../support/drivers/patience.ts';
import { capturingLogger } from '../support/drivers/front-end.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { programFile } from '../support/drivers/program.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';
import { damages, serveSample, storeSample, writeManifest } from '../support/material/snapshot-copies.ts';

const task = { kind: 'address', address: '12 Main St W, Sampleton, ON', full: true } as const;

describe('Snapshot swap', function () {
  this.timeout(240_000);
  before(() => {
    sampleDataDir();
  });

  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const start = (dataDir: string, { pollMs = 1_000_000, log = capturingLogger() } = {}): Promise<SnapshotService> => {
    const pool = { threads: 1, deadlineMs: 120_000, startsLate: true, catalogue };
    return SnapshotService.start({ dataDir, logger: log.logger, pollMs, pool });
  };
  const failureToStart = (dataDir: string): Promise<string> =>
    start(dataDir).then(
      () => 'started',
      (cause: unknown) => String(cause),
    );
  const idOf = async (service: SnapshotService): Promise<string> => {
    const { json } = await service.pool.lookup(task);
    return (JSON.parse(json) as { snapshot: { id: string } }).snapshot.id;
  };

  it('loses no lookup and answers each from one snapshot', async () => {
    using folder = temporaryFolder();
    const first = serveSample(folder.path, 1);
    const log = capturingLogger();
    await using service = await start(folder.path, { log });
    const second = serveSample(folder.path, 2);
    const seen: string[] = [];
    const swap = { isOver: false };
    const client = async (): Promise<void> => {
      while (!swap.isOver) seen.push(await idOf(service));
      seen.push(await idOf(service));
    };
    const clients = Promise.all([client(), client(), client()]);
    await service.reload();
    swap.isOver = true;
    await clients;
    expect(new Set(seen)).to.deep.equal(new Set([first, second]));
    expect(seen.slice(seen.lastIndexOf(first) + 1)).to.include(second);
    expect(seen.at(-1)).to.equal(second);
    expect(service.manifest.id).to.equal(second);
    expect(log.lines.find(({ message }) => message === 'snapshot in service')).to.include({
      snapshot: second,
      before: first,
    });
  });

  it('happens by itself when the link changes', async () => {
    using folder = temporaryFolder();
    serveSample(folder.path, 1);
    await using service = await start(folder.path, { pollMs: 20 });
    const second = serveSample(folder.path, 2);
    await until(
      () => service.manifest.id === second,
      20,
      () => service.manifest.id,
    );
    expect(await idOf(service)).to.equal(second);
  });

  it('refuses a bad snapshot, says why, and goes on with the one in service', async () => {
    using folder = temporaryFolder();
    const good = serveSample(folder.path, 1);
    const log = capturingLogger();
    await using service = await start(folder.path, { log });
    const bad = storeSample(folder.path, 2);
    const dir = join(snapshotsFolder(folder.path), bad);
    const manifest = readManifest(dir);
    const spoil: Readonly<Record<string, () => void>> = {
      ...Object.fromEntries(
        Object.entries(damages).map(([name, damage]) => [name, damage.bind(null, join(dir, 'land.gpkg'))]),
      ),
      'the manifest is of another format': () => {
        writeManifest(folder.path, { ...manifest, format: 2 as never });
      },
      'the manifest is no JSON': () => {
        writeFileSync(join(dir, 'manifest.json'), '{');
      },
      'the file is gone': () => {
        rmSync(join(dir, 'land.gpkg'));
      },
      'the link leads nowhere': () => {
        rmSync(dir, { recursive: true });
      },
    };
    useSnapshot(folder.path, bad);
    for (const [name, damage] of Object.entries(spoil)) {
      damage();
      await service.reload();
      expect(service.refused, name).to.include({
        snapshot: name === 'the link leads nowhere' ? 'current' : bad,
      });
      expect(await idOf(service), name).to.equal(good);
      storeSample(folder.path, 2);
    }
    expect(log.lines.filter(({ message }) => message === 'snapshot refused')).to.have.length(Object.keys(spoil).length);
    await service.reload();
    expect(service.refused).to.equal(null);
    expect(await idOf(service)).to.equal(bad);
  });

  it('forgets the refusal when the link leads back', async () => {
    using folder = temporaryFolder();
    const good = serveSample(folder.path, 1);
    await using service = await start(folder.path, { pollMs: 20 });
    rmSync(currentLink(folder.path));
    symlinkSync('snapshots/none', currentLink(folder.path));
    const isRefused = (): boolean => service.refused !== null;
    await until(isRefused, 10);
    useSnapshot(folder.path, good);
    await until(() => !isRefused(), 10);
    expect(await idOf(service)).to.equal(good);
  });

  it('shows in the running server: answers, layers, readiness; SIGHUP makes it happen at once', async () => {
    using folder = temporaryFolder();
    const first = serveSample(folder.path, 1);
    const key = await newKey(folder.path);
    await using server = await ServiceProcess.start(folder.path);
    const second = serveSample(folder.path, 2);
    server.signal('SIGHUP');
    const shown = async (path: string): Promise<unknown> =>
      ((await (await fetch(server.url + path)).json()) as { snapshot: { id: string } }).snapshot.id;
    await until(async () => (await shown('/readyz')) !== first);
    expect(await shown('/readyz')).to.equal(second);
    expect(await shown('/api/layers')).to.equal(second);
    const answer = await server.lookup(key, { address: task.address }, { query: '?detail=full' });
    expect(((await answer.json()) as { snapshot: { id: string } }).snapshot.id).to.equal(second);
  });

  it('can be probed while it is full', async () => {
    using folder = temporaryFolder();
    serveSample(folder.path, 1);
    await using service = await start(folder.path);
    const gate = new Gate({ snapshots: service, maxPending: 2, maxInFlight: 9, deadlineMs: 9000 });
    const caller = { keyId: 'key', kind: 'plain', isGone: () => false } as const;
    const lookups = [gate.lookup(task, caller), gate.lookup(task, caller)];
    const probe = service.pool.lookup(task);
    const refused = gate.lookup(task, caller).catch(String);
    expect(await refused).to.contain('too many lookups are under way');
    expect((await Promise.all([...lookups, probe])).map(({ json }) => json.length)).to.deep.equal(
      Array(3).fill((await lookups[0]!).json.length),
    );
  });

  for (const [crashes, what, right] of [
    [1, 'is lost meanwhile, and asks its lookups again', { answered: 8, lost: 0, hasCrashed: true }],
    [30, 'after the other is lost, and gives up what is lost twice', { answered: 0, lost: 8, hasCrashed: true }],
  ] as const) {
    it(`ends its threads also when one ${what}`, () => {
      using folder = temporaryFolder();
      const id = serveSample(folder.path, 1);
      const crash = join(projectDir, 'test', 'support', 'drivers', 'crash-thread.mjs');
      const preload = ['--import', pathToFileURL(crash).href];
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [
          ...preload,
          programFile('../support/drivers/closing-pool', import.meta.url),
          join(snapshotsFolder(folder.path), id),
          String(crashes),
        ],
        {
          encoding: 'utf8',
          timeout: 600_000,
          killSignal: 'SIGKILL',
          env: { ...process.env, CRASH_FILE: join(folder.path, 'crash') },
        },
      );
      expect(stdout, stderr).not.to.equal('');
      expect(JSON.parse(stdout)).to.deep.equal(right);
    });
  }

  for (const [name, damage] of Object.entries(damages)) {
    it(`does not start when ${name}`, async () => {
      using folder = temporaryFolder();
      const id = serveSample(folder.path, 1);
      damage(join(snapshotsFolder(folder.path), id, 'land.gpkg'));
      expect(await failureToStart(folder.path)).to.contain('land.gpkg has changed');
    });
  }

  for (const [what, damage] of [
    [
      'is damaged',
      (dataDir: string, id: string) => {
        writeFileSync(join(snapshotsFolder(dataDir), id, 'land.gpkg'), 'x');
      },
    ],
    [
      'has no manifest',
      (dataDir: string, id: string) => {
        rmSync(join(snapshotsFolder(dataDir), id, 'manifest.json'));
      },
    ],
    [
      'is gone',
      (dataDir: string, id: string) => {
        rmSync(join(snapshotsFolder(dataDir), id), { recursive: true });
      },
    ],
  ] as const) {
    it(`starts on the last good one when the current one ${what}, never on a sample, and says so`, async () => {
      using folder = temporaryFolder();
      const ids = [1, 2, 3, 4].map((n) => storeSample(folder.path, n));
      const [real, broken, current, sample] = ids as [string, string, string, string];
      for (const id of [real, broken, current]) {
        const manifest = readManifest(join(snapshotsFolder(folder.path), id));
        writeManifest(folder.path, {
          ...manifest,
          sample: false,
          createdAt: `2026-01-0${1 + ids.indexOf(id)}T00:00:00Z`,
        });
      }
      writeFileSync(join(snapshotsFolder(folder.path), broken, 'land.gpkg'), 'x');
      useSnapshot(folder.path, current);
      damage(folder.path, current);
      const log = capturingLogger();
      await using service = await start(folder.path, { log, pollMs: 20 });
      expect(service.manifest.id).to.equal(real);
      expect(service.refused?.snapshot).to.be.oneOf([current, 'current']);
      expect(
        log.lines.filter(({ level }) => level === 'error').map(({ message, inService }) => [message, inService]),
      ).to.deep.equal([['snapshot refused', real]]);
      useSnapshot(folder.path, sample);
      await until(
        () => service.manifest.id === sample,
        10,
        () => service.manifest.id,
      );
      expect(service.refused).to.equal(null);
    });
  }

  describe('damaged while it is in service', () => {
    /** Stores snapshots that are no samples, the last of them in service. */
    const storeReal = (dataDir: string, count: number): string[] => {
      const ids = Array.from({ length: count }, (_, n) => storeSample(dataDir, n + 1));
      ids.forEach((id, n) => {
        const manifest = readManifest(join(snapshotsFolder(dataDir), id));
        writeManifest(dataDir, { ...manifest, sample: false, createdAt: `2026-01-0${n + 1}T00:00:00Z` });
      });
      useSnapshot(dataDir, ids.at(-1)!);
      return ids;
    };
    const landOf = (dataDir: string, id: string): string => join(snapshotsFolder(dataDir), id, 'land.gpkg');
    /** Writes over all but the head, in place: the mapped pages change. */
    const spoil = (file: string): Buffer => {
      const good = readFileSync(file);
      const fd = openSync(file, 'r+');
      writeSync(fd, Buffer.alloc(good.length - 8192, 0xa5), 0, good.length - 8192, 8192);
      closeSync(fd);
      return good;
    };

    it('gives its place to the last good one, and says so', async () => {
      using folder = temporaryFolder();
      const [good, current] = storeReal(folder.path, 2) as [string, string];
      const log = capturingLogger();
      await using service = await start(folder.path, { log, pollMs: 20 });
      spoil(landOf(folder.path, current));
      expect(await service.pool.lookup(task).catch((cause: unknown) => AppError.from(cause).reason)).to.equal(
        'DATA_UNREADABLE',
      );
      await until(
        () => service.manifest.id === good,
        10,
        () => service.manifest.id,
      );
      expect(await idOf(service)).to.equal(good);
      expect(service.refused).to.include({ snapshot: current });
      const [line] = log.lines.filter(({ message }) => message === 'snapshot refused');
      expect(line).to.include({ snapshot: current, inService: good });
      expect(line!['detail']).to.match(/land.gpkg has changed.*snapshot use/);
    });

    it('is not ready without another one, until its file is repaired', async () => {
      using folder = temporaryFolder();
      const [only] = storeReal(folder.path, 1) as [string];
      const key = await newKey(folder.path);
      await using service = await ServiceHere.start(folder.path);
      const reasons = async (): Promise<string[]> => {
        const ready = (await (await fetch(`${service.url}/readyz`)).json()) as { notReady: { reason: string }[] };
        return ready.notReady.map(({ reason }) => reason);
      };
      const good = spoil(landOf(folder.path, only));
      expect((await service.lookup(key, { address: task.address })).status).to.equal(503);
      await untilLogged(service.lines, ({ message }) => message === 'snapshot refused');
      expect(await reasons()).to.deep.equal(['DATA_UNREADABLE']);
      const fd = openSync(landOf(folder.path, only), 'r+');
      writeSync(fd, good);
      closeSync(fd);
      await service.reload();
      await until(
        async () => (await reasons()).length === 0,
        20,
        () => service.lines.slice(-20),
      );
    });

    it('is said before the process can be gone when the file is made shorter, and the next start takes the last good one', async () => {
      using folder = temporaryFolder();
      const [good, current] = storeReal(folder.path, 2) as [string, string];
      {
        await using server = await ServiceProcess.start(folder.path);
        // A lookup of the shortened file may end the process at once.
        await server.examplesMade();
        truncateSync(landOf(folder.path, current), 100_000);
        await untilLogged(server.lines, ({ message }) => String(message).includes('made shorter'));
        await server.kill();
      }
      await using server = await ServiceHere.start(folder.path);
      expect(server.lines.find(({ message }) => message === 'snapshot refused')).to.include({ inService: good });
    });
  });

  it('starts on the newest that has what the current one has, and says what the one that it takes lacks', async () => {
    using folder = temporaryFolder();
    const [complete, withoutAddresses, withoutLayer, current] = [1, 2, 3, 4].map((n) =>
      storeSample(folder.path, n),
    ) as [...[string, string, string, string]];
    [complete, withoutAddresses, withoutLayer, current].forEach((id, i) => {
      const manifest = readManifest(join(snapshotsFolder(folder.path), id));
      const { greenbelt, ...others } = manifest.dataSets;
      writeManifest(folder.path, {
        ...{ ...manifest, sample: false, createdAt: `2026-01-0${i + 1}T00:00:00Z` },
        gazetteer: id === withoutAddresses ? null : manifest.gazetteer,
        dataSets: id === withoutLayer ? others : { ...others, greenbelt: greenbelt! },
      });
    });
    useSnapshot(folder.path, current);
    writeFileSync(join(snapshotsFolder(folder.path), current, 'land.gpkg'), 'x');
    for (const [expected, lacks] of [
      [complete, undefined],
      [withoutLayer, ['greenbelt']],
      [withoutAddresses, ['addresses']],
    ] as const) {
      const log = capturingLogger();
      await using service = await start(folder.path, { log });
      expect(service.manifest.id).to.equal(expected);
      const [refusal] = log.lines.filter(({ message }) => message === 'snapshot refused');
      expect(refusal!['lacks']).to.deep.equal(lacks);
      rmSync(join(snapshotsFolder(folder.path), expected), { recursive: true });
    }
    expect(await failureToStart(folder.path)).to.match(
      new RegExp(`snapshot ${current} cannot be served \\(land.gpkg has changed.*\\): put another one into service`),
    );
  });

  it('does not start when the link leads nowhere, and says what to do', async () => {
    using folder = temporaryFolder();
    rmSync(join(snapshotsFolder(folder.path), serveSample(folder.path, 1)), { recursive: true });
    expect(await failureToStart(folder.path)).to.match(
      /current points to a snapshot that does not exist: .*snapshot use/,
    );
  });
});
