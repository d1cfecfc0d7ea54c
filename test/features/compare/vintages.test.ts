import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotsFolder } from '../../../src/core/snapshots/folders.ts';
import { useSnapshot } from '../../../src/core/snapshots/publish.ts';
import { pruneSnapshots } from '../../../src/commands/snapshot.ts';
import { vintageOf } from '../../../src/features/batches/vintage.ts';
import type { VintagesBody } from '../../../src/features/compare/wire.ts';
import type { AppError } from '../../../src/messages/problems.ts';
import { given } from '../../support/drivers/given.ts';
import { ServiceHere } from '../../support/drivers/service-here.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { issueKey } from '../../../src/core/keys/keys.ts';
import { openKeyStore } from '../../../src/core/keys/open-key-store.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';
import { serveSample, storeSample } from '../../support/material/snapshot-copies.ts';

const DAY = 24 * 3600 * 1000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function keyOf(dataDir: string): Promise<string> {
  await using store = await openKeyStore({ dataDir, redisUrl: null });
  const key = { name: 'test', limitPerHour: 1000, limits: { batchRowsPerDay: 1000 }, customer: null, expiresAt: null };
  return (await issueKey(store, key)).key;
}

describe('vintages', function () {
  this.timeout(240_000);
  before(() => {
    sampleDataDir();
  });

  given('batches').it(
    'are listed newest first, and a batch is answered from one of them by its id or its day',
    async () => {
      using folder = temporaryFolder();
      const [old, current] = [storeSample(folder.path, 1), serveSample(folder.path, 2)];
      const key = await keyOf(folder.path);
      await using service = await ServiceHere.start(folder.path);
      const list = async (): Promise<VintagesBody> =>
        (await (await fetch(`${service.url}/api/vintages`)).json()) as VintagesBody;
      const { vintages } = await list();
      expect(vintages.map(({ vintage, inService }) => [vintage, inService])).to.deep.equal([
        [current, true],
        [old, false],
      ]);
      expect(vintages[0]!.definitions).to.match(/^[0-9a-f]{8}$/);
      expect(vintages[0]!.dataAsOf).to.have.property('greenbelt');
      const third = storeSample(folder.path, 3);
      expect((await list()).vintages.map(({ vintage }) => vintage)).to.deep.equal([third, current, old]);
      const send = (vintage: string): Promise<Response> =>
        fetch(`${service.url}/api/batches?vintage=${vintage}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
          body: 'address\n12 Main St W, Sampleton, ON\n',
        });
      const sent = await send(old);
      expect([sent.status, ((await sent.json()) as { snapshot: string }).snapshot]).to.deep.equal([202, old]);
      expect((await send('2026-01-01')).status).to.equal(202);
      expect((await send('20200101T000000Z-0123456789ab')).status).to.equal(404);
      expect((await send('yesterday')).status).to.equal(400);
    },
  );

  /** Snapshots of some days, the last one in service, without their files: nobody opens them. */
  const storeDays = (dataDir: string, days: readonly string[]): string[] => {
    const ids = days.map((day, i) => `${day.replaceAll('-', '')}T020000Z-${String(i).padStart(12, '0')}`);
    ids.forEach((id, i) => {
      const dir = join(snapshotsFolder(dataDir), id);
      mkdirSync(dir, { recursive: true });
      const manifest = {
        format: 1,
        id,
        createdAt: `${days[i]}T02:00:00.000Z`,
        dataSets: { province: {} },
        gazetteer: null,
      };
      writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
    });
    useSnapshot(dataDir, ids.at(-1)!);
    return ids;
  };
  const nowMs = Date.now();
  const daysAgo = (days: number): string => dayOf(nowMs - days * DAY);

  it('of a day is the last one that was published by its end, never an earlier one where that was pruned', () => {
    using folder = temporaryFolder();
    const ids = storeDays(folder.path, ['2025-01-10', '2025-01-20', '2025-02-05', '2025-02-05', daysAgo(1)]);
    const inService = ids.at(-1)!;
    const find = (asked: string): unknown => {
      try {
        return vintageOf(asked, { dataDir: folder.path, inService, nowMs });
      } catch (cause) {
        return [(cause as AppError).code, (cause as AppError).headers['Link'] ?? null];
      }
    };
    expect(find('2025-01-10')).to.equal(ids[0]);
    expect(find('2025-01-19')).to.equal(ids[0]);
    expect(find('2025-02-04')).to.equal(ids[1]);
    expect(find('2025-02-05')).to.equal(ids[3]);
    expect(find(daysAgo(0))).to.equal(inService);
    expect(find(ids[2]!)).to.equal(ids[2]);
    for (const unknown of ['2025-01-09', daysAgo(-1), '20250110T020000Z-ffffffffffff'])
      expect(find(unknown)).to.deep.equal(['NOT_FOUND', null]);
    for (const wrong of ['2025-02-30', '2025-1-1', '', '../current'])
      expect(find(wrong)).to.deep.equal(['BAD_REQUEST', null]);
    expect(pruneSnapshots(folder.path, 1)).to.deep.equal(ids.slice(0, -1));
    const gone = ['GONE', `</licences>; rel="license", </api/batches?vintage=${inService}>; rel="latest-version"`];
    for (const asked of ['2025-01-15', '2025-02-05', daysAgo(2), ids[1]!]) expect(find(asked)).to.deep.equal(gone);
    expect(find('2025-01-09')).to.deep.equal(['NOT_FOUND', null]);
    expect(find(daysAgo(0))).to.equal(inService);
  });

  it('are kept when they are the last of one of the last months', () => {
    using folder = temporaryFolder();
    const month = (ago: number): string => {
      const now = new Date(nowMs);
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7);
    };
    const days = [3, 2, 1].flatMap((ago) => [`${month(ago)}-03`, `${month(ago)}-12`, `${month(ago)}-27`]);
    const ids = storeDays(folder.path, [...days, `${month(0)}-01`]);
    const kept = [ids[5]!, ids[8]!, ids[9]!];
    expect(pruneSnapshots(folder.path, 1, 3)).to.deep.equal(ids.filter((id) => !kept.includes(id)));
  });

  it('are kept by their own months, also by a clock that is years ahead', () => {
    using folder = temporaryFolder();
    const days = ['2024-11-27', '2024-12-03', '2024-12-27', '2025-02-03', '2025-02-12'];
    const ids = storeDays(folder.path, days);
    expect(pruneSnapshots(folder.path, 1, 2)).to.deep.equal([ids[0]!, ids[1]!, ids[3]!]);
  });
});
