/** Two machines of the real service that share batches: one accepts, both answer, the other gives the results. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { BucketMachines } from '../support/drivers/bucket-machines.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { serveSample } from '../support/material/snapshot-copies.ts';

const ROWS = 12_500;
/** Of several chunks. */
const FEW_ROWS = 2500;

describe('A batch through two machines', function () {
  this.timeout(240_000);
  before(() => {
    sampleDataDir();
  });

  it('is answered by both, billed once, and read from either', async () => {
    await using shared = await BucketMachines.start();
    const env = environmentOf(shared);
    using one = ownSampleFolder();
    using two = ownSampleFolder();
    const key = await newKey(one.path, { limits: { batchRowsPerDay: 100_000 } }, shared.redis.url);
    await using first = await ServiceHere.start(one.path, env);
    await using second = await ServiceHere.start(two.path, env);
    const addresses = Array.from({ length: ROWS }, (_, i) =>
      i % 10 === 9 ? '1 Nowhere St, Sampleton, ON' : SAMPLE_ADDRESS.address,
    );
    const id = await new BatchClient(() => first.url, key).send(addresses, { idempotencyKey: 'once' });
    const client = new BatchClient(() => second.url, key);
    expect(await client.send(addresses, { idempotencyKey: 'once' })).to.equal(id);
    const { state, rows } = await client.ended(id);
    expect(state).to.equal('completed');
    expect(rows).to.include({ total: ROWS, done: ROWS, found: 11_250, notFound: 1250 });
    let text = '';
    await client.download(id, (part) => (text += part));
    const answered = text.split('\n').flatMap((line) => (line.startsWith('{"row"') ? [JSON.parse(line) as Row] : []));
    expect(answered.map(({ row }) => row)).to.deep.equal(addresses.map((_, i) => i + 1));
    const billed = [billedIn(one.path), billedIn(two.path)];
    expect(billed.flat().sort()).to.deep.equal(answered.flatMap(({ lookupId }) => lookupId ?? []).sort());
    for (const ids of billed) expect(ids.length).to.be.greaterThan(0);
  });

  it('is answered by the one that has its snapshot', async () => {
    await using shared = await BucketMachines.start();
    const env = environmentOf(shared);
    using one = temporaryFolder();
    using two = temporaryFolder();
    serveSample(one.path, 1);
    serveSample(two.path, 2);
    const key = await newKey(one.path, { limits: { batchRowsPerDay: 100_000 } }, shared.redis.url);
    await using first = await ServiceHere.start(one.path, env);
    await using second = await ServiceHere.start(two.path, env);
    const id = await new BatchClient(() => first.url, key).send(
      Array.from({ length: FEW_ROWS }, () => SAMPLE_ADDRESS.address),
    );
    const { state, rows, error } = await new BatchClient(() => second.url, key).ended(id);
    expect([state, error, rows.found]).to.deep.equal(['completed', null, FEW_ROWS]);
    expect([billedIn(one.path).length, billedIn(two.path).length]).to.deep.equal([FEW_ROWS, 0]);
  });
});

interface Row {
  readonly row: number;
  readonly lookupId: string | null;
}

/** Settings of a service that shares batches. */
function environmentOf({ redis, objects }: BucketMachines): Record<string, string> {
  const { name, prefix, endpoint, credentials } = objects.bucket;
  return {
    ...{ REDIS_URL: redis.url, BATCH_STORE: `s3://${name}/${prefix}`, S3_ENDPOINT: endpoint! },
    AWS_ACCESS_KEY_ID: credentials!.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
  };
}

function billedIn(dataDir: string): string[] {
  const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
  try {
    return db.prepare<[], string>('SELECT id FROM usage').pluck().all();
  } finally {
    db.close();
  }
}
