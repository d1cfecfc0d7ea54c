/** Starting and stopping the service. */
import { expect } from 'chai';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { readConfig } from '../../src/config.ts';
import { createServiceLogger } from '../../src/core/settings/logger.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { PATIENT_DEADLINE_MS, PATIENT_REDIS, untilSucceeds } from '../support/drivers/patience.ts';
import { startHere } from '../support/drivers/start-here.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';

const address = { address: '12 Main St W, Sampleton, ON' };

describe('serve', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  before(() => {
    symlinkSync(requireCurrentSnapshot(sampleDataDir()).dir, join(folder.path, 'current'));
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('lets a key in again once Retry-After is waited out', async () => {
    await using redis = await RedisServer.start();
    const config = readConfig({
      DATA_DIR: folder.path,
      REDIS_URL: redis.url,
      PORT: '0',
      ADMIN_PORT: '0',
      WORKER_THREADS: '1',
      LOOKUP_DEADLINE_MS: String(PATIENT_DEADLINE_MS),
    });
    const store = await openKeyStore(config);
    await using keys = store;
    // Again with a longer hour, when the machine was slower than the hour.
    await untilSucceeds(3, async (quotaHourS) => {
      const { key } = await issueKey(keys, { name: 'test', limitPerHour: 2 });
      const logger = createServiceLogger('error');
      await using service = await startHere(config, { logger, quotaHourS, ...PATIENT_REDIS });
      const ask = (): Promise<Response> =>
        fetch(`${service.url}/api/lookup`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(address),
        });
      const startMs = performance.now();
      const answers = [await ask(), await ask(), await ask()];
      const [first, second, third] = answers.map(({ status }) => status);
      expect([first, second]).to.deep.equal([200, 200]);
      if (third === 200 && performance.now() - startMs >= quotaHourS * 1000) return false;
      expect(third).to.equal(429);
      await sleep(Number(answers[2]!.headers.get('retry-after')) * 1000 + 50);
      expect((await ask()).status).to.equal(200);
      return true;
    });
  });

  describe('as a process', () => {
    let service: ServiceProcess;
    before(async () => {
      service = await ServiceProcess.start(folder.path, { LOOKUP_DEADLINE_MS: '60000' });
    });
    after(() => service[Symbol.asyncDispose]());

    it('warns of invented data, and has answered nobody when it begins to serve', async () => {
      expect(service.lines.map(({ level, message }) => [level, message])).to.deep.equal([
        ['warn', 'the snapshot contains invented SAMPLE data: its answers are not real'],
        ['info', 'serving'],
      ]);
      expect(await service.metrics()).not.to.match(/^land_lookup_requests_total\{.* [1-9]/m);
    });

    it('ends what it has begun on SIGTERM, then exits with 0', async () => {
      const key = await newKey(folder.path);
      const underWay = Array.from({ length: 50 }, () => sendLookup(service.url, key));
      await Promise.all(underWay.map(({ sent }) => sent));
      const stopped = service.stop();
      const statuses = await Promise.all(underWay.map(({ status }) => status));
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect(await stopped).to.equal(0);
      expect(service.lines.at(-1)).to.include({ message: 'stopped' });
    });
  });
});

/** A lookup on a connection of its own. `sent` resolves when the last byte is in the server's socket; `fetch` does not tell. */
function sendLookup(url: string, key: string): { readonly sent: Promise<unknown>; readonly status: Promise<number> } {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const request = httpRequest(`${url}/api/lookup`, { method: 'POST', headers, agent: false });
  const status = once(request, 'response').then(([response]: IncomingMessage[]) => {
    response!.resume();
    return response!.statusCode!;
  });
  request.end(JSON.stringify(address));
  return { sent: once(request, 'finish'), status };
}
