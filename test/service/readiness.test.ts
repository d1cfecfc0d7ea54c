/** A process that cannot answer lookups of addresses is not ready, and says why everywhere an operator looks. */
import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { geocoderSettings } from '../../src/features/geocoders/settings.ts';
import { hashKey } from '../../src/core/keys/key-format.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { snapshotsFolder } from '../../src/core/snapshots/folders.ts';
import { readManifest } from '../../src/core/snapshots/current.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { commandHere, commandHereOrThrow } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { GeocoderServer } from '../support/doubles/geocoder-server.ts';
import { given } from '../support/drivers/given.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { startSampleService } from '../support/drivers/sample-service.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';
import { serveSample, storeSample, writeManifest } from '../support/material/snapshot-copies.ts';

interface Ready {
  readonly ready: boolean;
  readonly notReady: readonly { readonly reason: string; readonly help: string }[];
  readonly keys: string;
  readonly geocoder: string;
}

/** What `/readyz` says. Its status must say the same. */
async function readyOf(service: { readonly url: string }): Promise<Ready & { readonly reasons: readonly string[] }> {
  const response = await fetch(`${service.url}/readyz`);
  const body = (await response.json()) as Ready;
  expect(response.status).to.equal(body.ready ? 200 : 503);
  return { ...body, reasons: body.notReady.map(({ reason }) => reason) };
}

async function untilReady(service: RunningService): Promise<void> {
  while (!(await readyOf(service)).ready) await sleep(50);
}

/** Stores the sample as number `n` without its addresses. */
function storeWithoutAddresses(dataDir: string, n: number): string {
  const id = storeSample(dataDir, n);
  writeManifest(dataDir, { ...readManifest(join(snapshotsFolder(dataDir), id)), gazetteer: null });
  return id;
}

/** Reasons in the log, of each time that they changed. */
function logged(service: RunningService): unknown[] {
  return service.lines.filter(({ message }) => message === 'not ready').map(({ reasons }) => reasons);
}

/** Nothing listens there. */
const NOWHERE = 'redis://127.0.0.1:1';

describe('Readiness', function () {
  this.timeout(240_000);

  it('comes with either order of the imports, and says in between what to load', async () => {
    using folder = temporaryFolder();
    const next = /has addresses but no layers yet: import them with "land-lookup load-layers"/;
    expect(cliOrThrow(folder.path, 'load-addresses', '--sample')).to.match(next);
    for (const command of [['serve'], ['lookup', SAMPLE_ADDRESS.address]]) {
      const { status, stderr } = await commandHere(folder.path, {}, ...command);
      expect(status, command[0]).to.equal(1);
      expect(stderr, command[0])
        .to.match(/^land-lookup: .*\n$/)
        .and.to.match(next);
    }
    expect(await commandHereOrThrow(folder.path, 'snapshot', 'list')).to.contain('cannot be served without layers');
    expect(cliOrThrow(folder.path, 'load-layers', '--sample', '--only', 'province')).to.match(
      /Snapshot \S+ is in service\.\n$/,
    );
    await using service = await ServiceHere.start(folder.path);
    expect(await readyOf(service)).to.deep.include({ ready: true, notReady: [] });
  });

  it('needs the address register: in the log, /readyz, the metrics, "snapshot list" and "snapshot use"', async () => {
    using folder = temporaryFolder();
    const complete = serveSample(folder.path, 1);
    const without = storeWithoutAddresses(folder.path, 2);
    const key = await newKey(folder.path);
    expect(await commandHereOrThrow(folder.path, 'snapshot', 'list')).to.match(
      new RegExp(`^${without} .* none .* cannot answer lookups of addresses$`, 'm'),
    );
    const { status, stderr } = await commandHere(folder.path, {}, 'snapshot', 'use', without);
    expect(status).to.equal(1);
    expect(stderr).to.match(/^land-lookup: snapshot \S+ has no address register, .*load-addresses.* --force\n$/);
    expect(await commandHereOrThrow(folder.path, 'snapshot', 'use', '--force', without)).to.contain(
      'It has no address register',
    );

    await using service = await ServiceHere.start(folder.path);
    expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(503);
    expect(await readyOf(service)).to.deep.include({ ready: false, reasons: ['NO_REGISTER'] });
    expect(logged(service)).to.deep.equal([['NO_REGISTER']]);
    const metrics = await service.metrics();
    expect(metrics).to.contain('land_lookup_ready 0\n').and.contain('land_lookup_not_ready{reason="NO_REGISTER"} 1\n');

    await commandHereOrThrow(folder.path, 'snapshot', 'use', complete);
    await untilReady(service);
    expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
    expect(await service.metrics())
      .to.contain('land_lookup_ready 1\n')
      .and.not.contain('land_lookup_not_ready{');
  });

  given('geocoders').it('does not need the register for another geocoder, but its answer', async () => {
    using folder = temporaryFolder();
    useSnapshot(folder.path, storeWithoutAddresses(folder.path, 1));
    await using geocoder = await GeocoderServer.start();
    const env = { GEOCODER: 'nominatim', GEOCODER_URL: geocoder.url };
    await using service = await ServiceHere.start(folder.path, env);
    expect(await readyOf(service)).to.deep.include({ reasons: ['GEOCODER_UNREACHABLE'] });
    const [circuit] = service.lines.filter(({ message }) => message === 'geocoder circuit');
    expect(circuit).to.include({ state: 'untried' });
    expect(circuit!['detail']).to.match(/^the geocoder nominatim does not answer: .*500/);
    expect(await service.metrics()).to.contain('land_lookup_geocoder_answers 0\n');
    geocoder.reply = () => ({ body: [] });
    await untilReady(service);
    expect(await readyOf(service)).to.include({ geocoder: 'ok' });
    const asked = geocoder.asked.length;
    geocoder.reply = () => ({ status: 500 });
    await sleep(1100);
    expect(await readyOf(service), 'an outage of all processes at once').to.include({ ready: true });
    expect(geocoder.asked).to.have.length(asked);
  });

  given('geocoders').it('needs no geocoder that is asked only for what the register lacks', async () => {
    await using geocoder = await GeocoderServer.start();
    const times = { timeoutMs: 1_000_000, ratePerS: 10 } as const;
    const remote = { provider: 'nominatim', baseUrl: geocoder.url, key: null, ...times } as const;
    const order = ['local', 'nominatim'] as const;
    await using service = await startSampleService({
      env: { GEOCODER: order.join(','), GEOCODER_URL: geocoder.url },
      ofFeatures: new Map([[geocoderSettings, { order, remote }]]),
    });
    // The start has waited for its first failure. From now on it never answers, and nobody gives it up.
    geocoder.reply = () => ({ delayMs: 1_000_000 });
    const asked = geocoder.asked.length;
    const isReady = async (): Promise<void> => {
      expect(await readyOf(service)).to.include({ ready: true, geocoder: 'has not answered yet' });
    };
    while (geocoder.asked.length === asked) {
      await isReady();
      await sleep(50);
    }
    // A proxy that asks does not wait for the geocoder.
    await isReady();
  });

  it('needs keys that can be read', async () => {
    using folder = ownSampleFolder();
    await using service = await ServiceHere.start(folder.path, { REDIS_URL: NOWHERE });
    expect(await readyOf(service)).to.deep.include({ reasons: ['KEYS_UNREACHABLE'] });
    expect(logged(service)).to.deep.equal([['KEYS_UNREACHABLE']]);
    expect(await service.metrics()).to.contain('land_lookup_keys_readable 0\n');
  });

  it('comes over a restart without Redis from the keys that the machine remembers', async () => {
    using folder = ownSampleFolder();
    await using redis = await RedisServer.start('--appendonly', 'yes');
    const place = { dataDir: folder.path, redisUrl: redis.url };
    const key = await newKey(folder.path, {}, redis.url);
    const store = await openKeyStore(place);
    await store.find(hashKey(key));
    await store[Symbol.asyncDispose]();
    await redis.kill();
    await using service = await ServiceHere.start(folder.path, { REDIS_URL: redis.url });
    expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
    const ready = await readyOf(service);
    expect(ready).to.include({ ready: true });
    expect(ready.keys).to.contain('only keys work that this machine has seen within a day');
    await redis.start();
    while ((await readyOf(service)).keys !== 'ok') await sleep(50);
    expect(await service.metrics()).to.contain('land_lookup_keys_readable 1\n');
  });

  it('is what systemd is told, and not the start', async () => {
    using folder = temporaryFolder();
    const complete = serveSample(folder.path, 1);
    useSnapshot(folder.path, storeWithoutAddresses(folder.path, 2));
    const told = join(folder.path, 'told');
    mkdirSync(join(folder.path, 'bin'));
    const notify = join(folder.path, 'bin', 'systemd-notify');
    writeFileSync(notify, `#!/bin/sh\necho "$1" >> ${told}\n`);
    chmodSync(notify, 0o755);
    const env = { NOTIFY_SOCKET: '/run/told', PATH: [join(folder.path, 'bin'), process.env['PATH']].join(delimiter) };
    await using service = await ServiceProcess.start(folder.path, env);
    await sleep(1500);
    expect(existsSync(told)).to.equal(false);
    useSnapshot(folder.path, complete);
    while (!existsSync(told)) await sleep(50);
    expect(await service.stop()).to.equal(0);
  });
});
