/** Bringing snapshots from machine to machine, with files of noise: the check of what arrives is that of the chunks alone. */
import { expect } from 'chai';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Transient } from '../../../src/core/outbound/failures.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import { currentSnapshot, requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { takeImportLock } from '../../../src/core/snapshots/building.ts';
import { pruneSnapshots } from '../../../src/commands/snapshot.ts';
import { useSnapshot } from '../../../src/core/snapshots/publish.ts';
import { FolderPlace, type SnapshotPlace, UrlPlace } from '../../../src/features/travel/place.ts';
import { pullSnapshot, type PulledSnapshot, type SnapshotPull } from '../../../src/features/travel/pull-snapshot.ts';
import { pushSnapshot } from '../../../src/features/travel/commands.ts';
import { verifyChunks } from '../../../workers/geopackage/checksum.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { MIB, noise, serveMadeUp } from '../../support/material/made-up-snapshots.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';

const retry = { attempts: 3, firstMs: 1, mostMs: 1 } as const;

/** Two servers: the second one must never be asked. */
async function serveRedirect(status: number) {
  const asked: string[] = [];
  const inside = createServer((req, res) => {
    asked.push(req.url ?? '');
    res.end('{}');
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo;
  const location = `http://127.0.0.1:${port}/latest/meta-data`;
  const outside = createServer((_req, res) => res.writeHead(status, { location }).end()).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  return {
    ...{ asked, location, url: `http://127.0.0.1:${(outside.address() as AddressInfo).port}/snapshots` },
    [Symbol.asyncDispose]: async () => {
      for (const server of [inside, outside]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

/** Two machines: what one has in service, the other pulls. */
class Machines implements Disposable {
  readonly #folder = temporaryFolder();
  readonly leader = join(this.#folder.path, 'leader');
  readonly follower = join(this.#folder.path, 'follower');
  readonly place = join(this.#folder.path, 'place');

  constructor() {
    for (const folder of [this.leader, this.follower, this.place]) mkdirSync(folder);
  }

  pull(place: SnapshotPlace = new FolderPlace(this.leader, 0), change: Partial<SnapshotPull> = {}) {
    return pullSnapshot(place, {
      ...{ dataDir: this.follower, minFreeBytes: 0, retry, onProgress: () => undefined },
      verify: async (folder) => {
        await Promise.resolve();
        verifyChunks(folder);
      },
      ...change,
    });
  }

  /** What a refused pull says. The snapshot in service must stay. */
  async refusal(place?: SnapshotPlace, change: Partial<SnapshotPull> = {}): Promise<string> {
    const before = currentSnapshot(this.follower)?.id;
    const failure = await this.pull(place, change).then(
      ({ id }: PulledSnapshot) => `pulled ${id}`,
      (cause: unknown) => String(cause),
    );
    expect(currentSnapshot(this.follower)?.id).to.equal(before);
    return failure;
  }

  /** Begins to pull the leader's first snapshot, and stops before any of its data has come. */
  async interruptPull(): Promise<void> {
    serveMadeUp(this.leader, 1, noise());
    const stops = changed(new FolderPlace(this.leader, 0), () => {
      throw new Error('stopped');
    });
    expect(await this.refusal(stops)).to.contain('stopped');
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** A place whose parts pass through `change`. */
function changed(place: SnapshotPlace, change: (piece: Uint8Array, at: number) => Uint8Array): SnapshotPlace {
  return {
    name: place.name,
    readText: (path, most) => place.readText(path, most),
    async *readPart(path, from, to) {
      let at = from;
      for await (const piece of place.readPart(path, from, to)) {
        yield change(piece, at);
        at += piece.length;
      }
    },
    [Symbol.dispose]: () => {
      place[Symbol.dispose]();
    },
  };
}

function flipped(piece: Uint8Array, index: number): Uint8Array {
  if (index < 0 || index >= piece.length) return piece;
  const copy = Uint8Array.from(piece);
  copy[index]! ^= 1;
  return copy;
}

describe('A pull', () => {
  for (const status of [301, 302, 307, 308]) {
    it(`follows no redirect (${status}), which could lead to any host`, async () => {
      using machines = new Machines();
      await using redirect = await serveRedirect(status);
      using place = new UrlPlace(redirect.url, { idleMs: 5000 });
      expect(await machines.refusal(place)).to.contain(
        `the server answered ${status}, a redirect to ${redirect.location}: give that address if you trust it`,
      );
      expect(redirect.asked).to.deep.equal([]);
    });
  }

  it('brings the snapshot in service, byte for byte, and does nothing the next time', async () => {
    using machines = new Machines();
    const content = noise();
    const { id } = serveMadeUp(machines.leader, 1, content);
    expect(await machines.pull()).to.deep.equal({
      id,
      was: 'elsewhere',
      fetchedBytes: content.length,
      bytes: content.length,
    });
    const { dir } = currentSnapshot(machines.follower)!;
    expect(readFileSync(join(dir, 'land.gpkg')).equals(content)).to.equal(true);
    expect(readdirSync(dir).sort()).to.deep.equal(['chunks.json', 'land.gpkg', 'manifest.json']);
    expect(await machines.pull()).to.deep.include({ was: 'in service', fetchedBytes: 0 });
  });

  it('fetches only the chunks that differ, wherever they were before', async () => {
    using machines = new Machines();
    const before = noise();
    serveMadeUp(machines.leader, 1, before);
    await machines.pull();
    // Two chunks have changed places, one is new.
    const [a, b] = [before.subarray(0, MIB), before.subarray(MIB, 2 * MIB)];
    const after = Buffer.concat([b, a, noise().subarray(0, MIB), before.subarray(3 * MIB)]);
    const { id } = serveMadeUp(machines.leader, 2, after);
    expect(await machines.pull()).to.deep.include({ id, fetchedBytes: MIB });
    expect(readFileSync(join(currentSnapshot(machines.follower)!.dir, 'land.gpkg')).equals(after)).to.equal(true);
  });

  it('fetches what has changed on its own disk since', async () => {
    using machines = new Machines();
    const content = noise();
    serveMadeUp(machines.leader, 1, content);
    await machines.pull();
    const file = join(currentSnapshot(machines.follower)!.dir, 'land.gpkg');
    writeFileSync(file, flipped(content, 3.5 * MIB));
    const { id } = serveMadeUp(machines.leader, 2, content);
    expect(await machines.pull()).to.deep.include({ id, fetchedBytes: MIB });
  });

  it('goes on after an interrupt with what it has', async () => {
    using machines = new Machines();
    const content = noise();
    const { id } = serveMadeUp(machines.leader, 1, content);
    const place = new FolderPlace(machines.leader, 0);
    const broken = changed(place, (piece, at) => {
      if (at > 3.5 * MIB) throw new Error('the machine stops');
      return piece;
    });
    expect(await machines.refusal(broken)).to.contain('the machine stops');
    const pulled = await machines.pull();
    expect(pulled).to.deep.include({ id, fetchedBytes: 2.5 * MIB });
    expect(readdirSync(join(machines.follower, 'snapshots')).sort()).to.deep.equal([id]);
  });

  it('passes over an interrupted pull of another snapshot', async () => {
    using machines = new Machines();
    await machines.interruptPull();
    const { id } = serveMadeUp(machines.leader, 2, noise());
    await machines.pull();
    expect(readdirSync(join(machines.follower, 'snapshots')).sort()).to.deep.equal([id]);
  });

  it('tries a broken connection again, as long as bytes arrive', async () => {
    using machines = new Machines();
    const content = noise();
    serveMadeUp(machines.leader, 1, content);
    let [breaks, bytes] = [0, 0];
    const place = new FolderPlace(machines.leader, 0);
    const breaking = changed(place, (piece) => {
      bytes += piece.length;
      if (breaks < 20 && bytes > (breaks + 1) * 0.25 * MIB) {
        breaks++;
        throw new Transient('broken');
      }
      return piece;
    });
    const { fetchedBytes } = await machines.pull(breaking);
    expect(breaks).to.equal(20);
    expect(fetchedBytes).to.equal(content.length);
  });

  it('fetches a chunk again that was damaged on its way, and refuses one that is damaged at its place', async () => {
    using machines = new Machines();
    serveMadeUp(machines.leader, 1, noise());
    const damaging = (times: number): SnapshotPlace =>
      changed(new FolderPlace(machines.leader, 0), (piece, at) => {
        const index = 2.5 * MIB - at;
        const isHere = index >= 0 && index < piece.length && times-- > 0;
        return isHere ? flipped(piece, index) : piece;
      });
    await machines.pull(damaging(1));
    serveMadeUp(machines.leader, 2, noise());
    const refusal = await machines.refusal(damaging(2));
    expect(refusal).to.match(
      /leader: \S+\/land\.gpkg is damaged: bytes 2097152 to 3145727 have another checksum than chunks\.json states$/,
    );
  });

  it('refuses a snapshot whose chunks are as listed and whose whole is not as published', async () => {
    using machines = new Machines();
    const { id } = serveMadeUp(machines.leader, 1, noise());
    const dir = join(machines.leader, 'snapshots', id);
    const list = JSON.parse(readFileSync(join(dir, 'chunks.json'), 'utf8')) as { sha256: string[] };
    // Whoever changes the file may also change the list.
    writeFileSync(
      join(dir, 'chunks.json'),
      JSON.stringify({ ...list, sha256: list.sha256.toReversed().toSpliced(0, 1).concat(list.sha256.at(-1)!) }),
    );
    const content = readFileSync(join(dir, 'land.gpkg'));
    const chunks = [0, 1, 2, 3, 4].map((i) => content.subarray(i * MIB, (i + 1) * MIB));
    writeFileSync(join(dir, 'land.gpkg'), Buffer.concat([...chunks.toReversed(), content.subarray(5 * MIB)]));
    expect(await machines.refusal()).to.contain('land.gpkg has changed');
    expect(readdirSync(join(machines.follower, 'snapshots'))).to.deep.equal([]);
  });

  it('leaves the floor of free disk', async () => {
    using machines = new Machines();
    serveMadeUp(machines.leader, 1, noise());
    const refusal = await machines.refusal(undefined, { minFreeBytes: Number.MAX_SAFE_INTEGER });
    expect(refusal).to.match(/the disk of .* has \d+ MB free; 6 MB more are needed, .*MIN_FREE_DISK_MB/);
  });

  it('waits for no import: it says that one is running', async () => {
    using machines = new Machines();
    serveMadeUp(machines.leader, 1, noise());
    const lock = takeImportLock(machines.follower);
    expect(await machines.refusal()).to.contain('another import is running');
    lock[Symbol.dispose]();
  });

  it('follows the place back to a snapshot that is stored here', async () => {
    using machines = new Machines();
    const { id: first } = serveMadeUp(machines.leader, 1, noise());
    await machines.pull();
    serveMadeUp(machines.leader, 2, noise());
    await machines.pull();
    useSnapshot(machines.leader, first);
    expect(await machines.pull()).to.deep.include({ id: first, was: 'stored', fetchedBytes: 0 });
    expect(currentSnapshot(machines.follower)?.id).to.equal(first);
  });

  it('never replaces real data by the sample', async () => {
    using machines = new Machines();
    serveMadeUp(machines.follower, 1, noise());
    serveMadeUp(machines.leader, 2, noise(), { sample: true });
    expect(await machines.refusal()).to.contain('does not replace real data');
  });

  it('never replaces a snapshot with addresses by one without, also by one that is stored here', async () => {
    using machines = new Machines();
    const { gazetteer } = requireCurrentSnapshot(sampleDataDir()).manifest;
    const { id } = serveMadeUp(machines.leader, 1, noise());
    expect(await machines.pull()).to.deep.include({ id });
    serveMadeUp(machines.leader, 2, noise(), { gazetteer });
    await machines.pull();
    useSnapshot(machines.leader, id);
    expect(await machines.refusal()).to.contain('does not replace one with addresses');
    serveMadeUp(machines.leader, 3, noise());
    expect(await machines.refusal()).to.contain('does not replace one with addresses');
  });

  it('says what to do about a snapshot of an earlier version, which has no list of chunks', async () => {
    using machines = new Machines();
    const { id } = serveMadeUp(machines.leader, 1, noise());
    const dir = join(machines.leader, 'snapshots', id);
    rmSync(join(dir, 'chunks.json'));
    expect(await machines.refusal()).to.contain('run "land-lookup snapshot verify" on the machine that has it');
    verifyChunks(dir);
    expect(await machines.pull()).to.deep.include({ id, was: 'elsewhere' });
  });

  const hostile: Readonly<Record<string, (manifest: SnapshotManifest) => object>> = {
    'the name of another snapshot': (manifest) => ({ ...manifest, id: '20260101T000009Z-000000000000' }),
    'a name that leads out': (manifest) => ({ ...manifest, id: '../../../etc' }),
    'a file that leads out': (manifest) => ({
      ...manifest,
      checksum: { ...manifest.checksum, file: '../../accounts.sqlite' },
    }),
    'more bytes than any disk has': (manifest) => ({ ...manifest, checksum: { ...manifest.checksum, bytes: 2 ** 60 } }),
    'bytes that are no number': (manifest) => ({ ...manifest, checksum: { ...manifest.checksum, bytes: '5' } }),
    'another checksum': (manifest) => ({ ...manifest, checksum: { ...manifest.checksum, sha256: '0'.repeat(64) } }),
    'a data set whose name is SQL': (manifest) => ({ ...manifest, dataSets: { 'x"; DROP TABLE y; --': {} } }),
    'a data set that is none': (manifest) => ({ ...manifest, dataSets: { wetland: { title: 1 } } }),
    'parts that are left out without a word': (manifest) => {
      const { wetland } = requireCurrentSnapshot(sampleDataDir()).manifest.dataSets;
      return { ...manifest, dataSets: { wetland: { ...wetland, refused: [{ part: 1 }] } } };
    },
    'a format of a later version': (manifest) => ({ ...manifest, format: 2 }),
    nothing: () => ({}),
  };
  for (const [what, change] of Object.entries(hostile)) {
    it(`refuses a manifest with ${what}`, async () => {
      using machines = new Machines();
      const manifest = serveMadeUp(machines.leader, 1, noise());
      const place = new FolderPlace(machines.leader, 0);
      writeFileSync(join(machines.leader, 'snapshots', manifest.id, 'manifest.json'), JSON.stringify(change(manifest)));
      const before = readdirSync(join(machines.follower, '..'), { recursive: true }).length;
      expect(await machines.refusal(place)).to.contain('manifest.json');
      // The lock of imports alone.
      expect(readdirSync(join(machines.follower, '..'), { recursive: true }).length - before).to.equal(1);
    });
  }

  it('refuses what does not name a snapshot', async () => {
    using machines = new Machines();
    for (const text of ['', '{', 'null', '{"format":1,"snapshot":"../../etc"}', '{"format":2,"snapshot":"x"}']) {
      writeFileSync(join(machines.place, 'current'), text);
      expect(await machines.refusal(new FolderPlace(machines.place, 0))).to.contain(
        '"current" does not name a snapshot',
      );
    }
    rmSync(join(machines.place, 'current'));
    expect(await machines.refusal(new FolderPlace(machines.place, 0))).to.contain('there is no current');
  });
});

describe('A push into a folder', () => {
  const options = { keep: 2, onProgress: () => undefined };

  it('offers the snapshot, keeps the newest ones, and a pull brings it', async () => {
    using machines = new Machines();
    const place = new FolderPlace(machines.place, 0);
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      ids.push(serveMadeUp(machines.leader, n, noise()).id);
      const { isNew, removed } = await pushSnapshot(place, currentSnapshot(machines.leader)!, options);
      expect(isNew).to.equal(true);
      expect(removed).to.deep.equal(n === 3 ? [ids[0]] : []);
    }
    expect((await pushSnapshot(place, currentSnapshot(machines.leader)!, options)).isNew).to.equal(false);
    expect(readdirSync(machines.place).sort()).to.deep.equal([...ids.slice(1), 'current'].sort());
    expect(await machines.pull(place)).to.deep.include({ id: ids[2], was: 'elsewhere' });
  });

  it('refuses the data folder of a service', async () => {
    using machines = new Machines();
    serveMadeUp(machines.leader, 1, noise());
    serveMadeUp(machines.follower, 2, noise());
    const failure = await pushSnapshot(
      new FolderPlace(machines.follower, 0),
      currentSnapshot(machines.leader)!,
      options,
    ).catch(String);
    expect(failure).to.contain('is the data folder of a service');
  });
});

describe('Pruning', () => {
  it('keeps an interrupted pull for a week', async () => {
    using machines = new Machines();
    await machines.interruptPull();
    const [name] = readdirSync(join(machines.follower, 'snapshots'));
    const folder = join(machines.follower, 'snapshots', name!);
    expect(pruneSnapshots(machines.follower, 3)).to.deep.equal([]);
    const old = Date.now() / 1000 - 8 * 86_400;
    utimesSync(folder, old, old);
    expect(pruneSnapshots(machines.follower, 3)).to.deep.equal([name]);
    expect(existsSync(folder)).to.equal(false);
  });
});
