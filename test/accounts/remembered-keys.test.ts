import { expect } from 'chai';
import { join } from 'node:path';
import { hashKey } from '../../src/core/keys/key-format.ts';
import { issueKey, revokeKey, setKey } from '../../src/core/keys/keys.ts';
import { KeyStore } from '../../src/core/keys/key-store.ts';
import { keyDocumentsIn, RememberingKeyStore } from '../../src/core/keys/open-key-store.ts';
import { openAccounts } from '../../src/core/open-accounts.ts';
import { readConfig } from '../../src/config.ts';
import { Opened } from '../../src/core/parts/parts.ts';
import { watchRedisSettings, type RedisClient, connectRedis, whenReady } from '../../src/core/stores/redis.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { capturingLogger } from '../support/drivers/front-end.ts';
import { PATIENT_REDIS, until } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';

describe('Keys in Redis that a machine remembers', function () {
  this.timeout(240_000);
  let server: RedisServer;
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(async () => {
    server = await RedisServer.start('--appendonly', 'yes');
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function connect(waitMs: number = PATIENT_REDIS.redisTimeoutMs): Promise<RedisClient> {
    const redis = connectRedis(server.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
    await whenReady(redis, waitMs);
    return redis;
  }

  /** As a process of this machine opens it. */
  async function open(waitMs?: number): Promise<RememberingKeyStore> {
    return new RememberingKeyStore(keyDocumentsIn(await connect(waitMs)), join(folder.path, 'known-keys.sqlite'));
  }

  const isThrown = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => false,
      () => true,
    );

  it('go on working over a restart while Redis is away; others do not', async () => {
    const before = await open();
    const { key } = await issueKey(before, { name: 'in use' });
    const unused = await issueKey(before, { name: 'never used' });
    const record = await before.find(hashKey(key));
    await before[Symbol.asyncDispose]();
    await server.kill();
    await using after = await open(0);
    expect(await after.find(hashKey(key))).to.deep.equal(record);
    expect(await isThrown(after.find(hashKey(unused.key)))).to.equal(true);
  });

  it('show a change as soon as Redis tells of it', async () => {
    await using store = await open();
    const { key, record } = await issueKey(store, { name: 'changed' });
    await store.find(hashKey(key));
    await setKey(store, record.id, { limitPerHour: 7 });
    await store.find(hashKey(key));
    await server.kill();
    expect(await store.find(hashKey(key))).to.have.property('limitPerHour', 7);
  });

  /** Makes a key and revokes it; Redis loses the revocation, as when it ends before that is in its file. */
  async function revokeInVain(store: KeyStore): Promise<{ readonly hash: string; readonly revokedAt: string | null }> {
    const { key, record } = await issueKey(store, { name: 'revoked' });
    const { redis, ...client } = server.client();
    const [name] = await redis.keys('*records');
    const lost = await redis.hget(name!, record.id);
    const { revokedAt } = await revokeKey(store, record.id);
    await redis.hset(name!, record.id, lost!);
    await client[Symbol.asyncDispose]();
    return { hash: hashKey(key), revokedAt };
  }

  it('stay revoked when Redis has lost the revocation, and Redis gets it back', async () => {
    await using store = await open();
    const { hash, revokedAt } = await revokeInVain(store);
    expect(await store.find(hash)).to.include({ revokedAt });
    await using other = new KeyStore(keyDocumentsIn(await connect()));
    expect(await other.find(hash), 'in Redis').to.include({ revokedAt });
    expect((await other.audit()).map(({ action }) => action)).to.deep.equal(['create', 'revoke', 'revoke']);
  });

  it('are revoked again by a service that nobody asks for them, so that the other machines refuse them', async () => {
    const store = await open();
    const { hash, revokedAt } = await revokeInVain(store);
    await store[Symbol.asyncDispose]();
    await using other = new KeyStore(keyDocumentsIn(await connect()));
    expect(await other.find(hash)).to.include({ revokedAt: null });
    await using opened = new Opened();
    const config = readConfig({ DATA_DIR: folder.path, REDIS_URL: server.url });
    await openAccounts(config, { logger: capturingLogger().logger, ...PATIENT_REDIS }, opened);
    await until(async () => (await other.find(hash))?.revokedAt !== null);
    expect(await other.find(hash)).to.include({ revokedAt });
  });
});

describe("Redis's settings", function () {
  this.timeout(240_000);

  async function faultsOf(...args: string[]): Promise<{ faults: readonly string[]; logged: number }> {
    await using server = await RedisServer.start(...args);
    const redis = connectRedis(server.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
    const { logger, lines } = capturingLogger();
    const settings = watchRedisSettings(redis, logger);
    await whenReady(redis, 60_000);
    // Two questions are under way; each of these is answered after one of them.
    for (let i = 0; i < 4; i++) await redis.ping();
    const { faults } = settings;
    redis.disconnect();
    return { faults, logged: lines.length };
  }

  it('are faults when it may evict or forget, and a line in the log', async () => {
    expect(await faultsOf('--maxmemory-policy', 'allkeys-lru')).to.deep.equal({
      faults: ['maxmemory-policy is allkeys-lru: set noeviction', 'appendonly is no: set yes'],
      logged: 1,
    });
    expect(await faultsOf('--appendonly', 'yes')).to.deep.equal({ faults: [], logged: 0 });
  });
});
