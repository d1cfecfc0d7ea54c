/** One request that two machines with different data answer differently. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { SnapshotManifest } from '../../src/messages/manifest.ts';
import { snapshotsFolder } from '../../src/core/snapshots/folders.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { checksumChunks } from '../../workers/geopackage/checksum.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { storeSample, writeManifest } from '../support/material/snapshot-copies.ts';

describe('An Idempotency-Key whose first answer was "not found"', function () {
  this.timeout(240_000);

  it('is billed once when another machine, which has newer data, finds the address', async () => {
    await using redis = await RedisServer.start();
    using newer = ownSampleFolder();
    using older = temporaryFolder();
    serveWithoutStreets(older.path);
    const env = { REDIS_URL: redis.url };
    const key = await newKey(newer.path, { limitPerHour: 10 }, redis.url);
    await using one = await ServiceHere.start(older.path, env, PATIENT_REDIS);
    await using two = await ServiceHere.start(newer.path, env, PATIENT_REDIS);
    const ask = async (service: ServiceHere) => {
      const { status, headers } = await service.lookup(key, SAMPLE_ADDRESS, { headers: { 'Idempotency-Key': 'k' } });
      return [status, headers.has('lookup-id'), headers.get('ratelimit')?.replace(/;t=.*/, '')];
    };
    const left = '"lookup";r=9';
    expect(await ask(one)).to.deep.equal([404, false, left]);
    expect(await ask(two), 'billed').to.deep.equal([200, true, left]);
    expect([await ask(two), await ask(one)], 'again').to.deep.equal([
      [200, false, left],
      [404, false, left],
    ]);
    expect([billedIn(older.path), billedIn(newer.path)]).to.deep.equal([0, 1]);
  });
});

/** As a register that does not have the street yet. */
function serveWithoutStreets(dataDir: string): void {
  const id = storeSample(dataDir, 1);
  const dir = join(snapshotsFolder(dataDir), id);
  const db = new Database(join(dir, 'land.gpkg'));
  // Each row has the name of its street: what is asked for is not among them.
  db.exec('UPDATE gazetteer_streets SET data = (SELECT data FROM gazetteer_streets ORDER BY fid LIMIT 1)');
  db.close();
  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as SnapshotManifest;
  const { sha256, bytes } = checksumChunks(join(dir, 'land.gpkg'));
  writeManifest(dataDir, { ...manifest, checksum: { file: 'land.gpkg', sha256, bytes } });
  useSnapshot(dataDir, id);
}

function billedIn(dataDir: string): number {
  const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
  try {
    return db.prepare<[], number>('SELECT count(*) FROM usage').pluck().get()!;
  } finally {
    db.close();
  }
}
