/** The whole way, in real processes: HTTP, key, quota, thread, GDAL, the bundled sample. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { problems, type ProblemCode } from '../../src/messages/problems.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { createKey, newKey, patientWithRedis, ServiceProcess } from '../support/drivers/service-process.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { layerKeys } from '../support/material/layer-keys.ts';

const ADDRESS = '12 Main St W, Sampleton, ON';

describe('the service', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  let service: ServiceProcess;
  let key: string;

  before(async () => {
    cpSync(sampleDataDir(), dataDir, { recursive: true, verbatimSymlinks: true });
    key = createKey(dataDir);
    service = await ServiceProcess.start(dataDir, { MAX_PENDING: '1' });
  });
  after(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  it('answers an address with exactly the five members and all keys, in their order', async () => {
    const response = await service.lookup(key, { address: ADDRESS });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.match(/^application\/json/);
    const body = (await response.json()) as { address: string; layers: object; dataAsOf: object };
    expect(Object.keys(body)).to.deep.equal(['address', 'lat', 'lon', 'layers', 'dataAsOf']);
    expect(body.address).to.equal('12 Main St W, Sampleton, ON L0X 5X8, Canada');
    expect(Object.keys(body.layers)).to.deep.equal(layerKeys);
    expect(body.dataAsOf).to.include.keys('greenbelt', 'ca_admin_areas');
  });

  it('adds geocode, evidence and snapshot with detail=full', async () => {
    const body = (await (await service.lookup(key, { address: ADDRESS }, { query: '?detail=full' })).json()) as {
      geocode: { accuracy: string };
      evidence: Record<string, { state: string }>;
      snapshot: { sample: boolean };
    };
    expect(body.geocode.accuracy).to.equal('building');
    expect(Object.keys(body.evidence)).to.deep.equal(layerKeys);
    expect(body.evidence['municipality']!.state).to.equal('present');
    expect(body.snapshot.sample).to.equal(true);
  });

  it('says the same without the detail, byte for byte as JSON.stringify would', async () => {
    for (const asked of [{ address: ADDRESS }, { address: '9001 Hwy 198, Petit-Échantillon' }]) {
      const full = await service.lookup(key, asked, { query: '?detail=full' });
      const { address, lat, lon, layers, dataAsOf } = (await full.json()) as Record<string, unknown>;
      const plain = await service.lookup(key, asked);
      expect(plain.status).to.equal(200);
      expect(await plain.text()).to.equal(JSON.stringify({ address, lat, lon, layers, dataAsOf }));
    }
  });

  it('says at the start that the data is a sample', () => {
    expect(service.lines.some(({ level, message }) => level === 'warn' && /SAMPLE/.test(String(message)))).to.equal(
      true,
    );
  });

  const rows: readonly (readonly [ProblemCode, string, () => Promise<Response>])[] = [
    ['BAD_REQUEST', 'a body that is not JSON', () => service.lookup(key, '{')],
    ['UNAUTHORIZED', 'no key', () => service.lookup(null, { address: ADDRESS })],
    ['ADDRESS_NOT_FOUND', 'an unknown street', () => service.lookup(key, { address: '12 Nowhere Rd, Sampleton, ON' })],
    ['NOT_FOUND', 'an unknown path', () => fetch(`${service.url}/api/nothing`)],
    ['METHOD_NOT_ALLOWED', 'another method', () => fetch(`${service.url}/api/lookup`)],
    ['OUTSIDE_ONTARIO', 'another province', () => service.lookup(key, { address: '1 Rue Sherbrooke, Montreal, QC' })],
    ['RATE_LIMITED', 'a key that is spent', () => spendTwice()],
    ['DB_ERROR', 'more lookups than may wait', () => overload()],
  ];
  for (const [code, when, ask] of rows) {
    it(`answers ${problems[code].status} ${code} to ${when}`, async () => {
      const response = await ask();
      const body = (await response.json()) as Record<string, unknown>;
      expect(response.status).to.equal(problems[code].status);
      expect(response.headers.get('content-type')).to.match(/^application\/problem\+json/);
      expect(body).to.include({ code, status: response.status, title: problems[code].title });
      expect(body).to.include.keys('type', 'instance');
      const needed = {
        UNAUTHORIZED: 'www-authenticate',
        METHOD_NOT_ALLOWED: 'allow',
        RATE_LIMITED: 'retry-after',
        DB_ERROR: 'retry-after',
      };
      const header = (needed as Partial<Record<ProblemCode, string>>)[code];
      if (header !== undefined) expect(response.headers.get(header), header).to.not.equal(null);
      if (code === 'ADDRESS_NOT_FOUND') expect(body).to.include({ reason: 'STREET_NOT_FOUND' });
    });
  }

  async function spendTwice(): Promise<Response> {
    const poor = await newKey(dataDir, { limitPerHour: 1 });
    expect((await service.lookup(poor, { address: ADDRESS })).status).to.equal(200);
    return service.lookup(poor, { address: ADDRESS });
  }

  /** With one place in the pool, some of many at once are refused; and none of those is counted. */
  async function overload(): Promise<Response> {
    const fresh = await newKey(dataDir, { limitPerHour: 100, limits: { inFlight: 100 } });
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => service.lookup(fresh, { address: ADDRESS }, { query: '?detail=full' })),
    );
    const granted = responses.filter(({ status }) => status === 200).length;
    const left = (await service.lookup(fresh, { address: ADDRESS })).headers.get('ratelimit');
    expect(left).to.match(new RegExp(`r=${100 - granted - 1};`));
    return responses.find(({ status }) => status === 503)!;
  }

  it('grants exactly 1,000 of 1,200 lookups over two processes on one Redis', async () => {
    expect(await askTwoProcesses(dataDir)).to.deep.equal({ granted: 1000, refused: 200, countedAlone: false });
  });

  it('is ready after a real lookup, and ends with 0 on SIGTERM', async () => {
    const ready = (await (await fetch(`${service.url}/readyz`)).json()) as Record<string, unknown>;
    expect(ready).to.include({ ready: true, lookup: 'ok' });
    expect(await service.stop()).to.equal(0);
  });
});

/** 1,200 lookups of a key that may make 1,000, through two processes at once, of which one is that of the test. */
async function askTwoProcesses(dataDir: string) {
  await using redis = await RedisServer.start();
  const env = { REDIS_URL: redis.url };
  await using first = await ServiceProcess.start(dataDir, env, patientWithRedis);
  await using second = await ServiceHere.start(dataDir, env, PATIENT_REDIS);
  const shared = await newKey(dataDir, {}, redis.url);
  const statuses: number[] = [];
  const client = async (server: RunningService): Promise<void> => {
    for (let i = 0; i < 60; i++) statuses.push((await server.lookup(shared, { address: ADDRESS })).status);
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => client(i % 2 === 0 ? first : second)));
  const count = (status: number): number => statuses.filter((candidate) => candidate === status).length;
  const countedAlone = [first, second].some(({ lines }) =>
    lines.some(({ message }) => String(message).startsWith('Redis does not answer')),
  );
  return { granted: count(200), refused: count(429), countedAlone };
}
