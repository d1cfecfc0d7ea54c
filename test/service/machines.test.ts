/** Two machines that share one Redis, behind the sample proxies as these are set up for several machines: each keeps its own batches. */
import { expect } from 'chai';
import { markOf } from '../../src/features/batches/job.ts';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { freePort } from '../support/drivers/free-port.ts';
import { given } from '../support/drivers/given.ts';
import { expectAnswers, PATIENT_REDIS } from '../support/drivers/patience.ts';
import { startProxy, type Proxy, type ProxyOptions } from '../support/drivers/proxies.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';

const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];

/** Machines with folders and ports of their own. */
class Machines implements AsyncDisposable {
  readonly redis: RedisServer;
  readonly #folders = NAMES.map(() => ownSampleFolder());
  readonly #ports: readonly number[];
  readonly #running: (ServiceHere | null)[] = [null, null];

  private constructor(redis: RedisServer, ports: readonly number[]) {
    this.redis = redis;
    this.#ports = ports;
  }

  static async start(): Promise<Machines> {
    const machines = new Machines(await RedisServer.start(), [await freePort(), await freePort()]);
    for (const name of NAMES) await machines.start(name);
    return machines;
  }

  async start(name: Name): Promise<void> {
    const i = NAMES.indexOf(name);
    const env = { REDIS_URL: this.redis.url, PORT: String(this.#ports[i]) };
    this.#running[i] = await ServiceHere.start(this.#folders[i]!.path, env, PATIENT_REDIS);
  }

  async stop(name: Name): Promise<void> {
    const i = NAMES.indexOf(name);
    await this.#running[i]?.[Symbol.asyncDispose]();
    this.#running[i] = null;
  }

  of(name: Name): ServiceHere {
    return this.#running[NAMES.indexOf(name)]!;
  }

  mark(name: Name): string {
    return String(this.of(name).lines.find(({ message }) => message === 'serving')!['machine']);
  }

  newKey(): Promise<string> {
    return newKey(this.#folders[0]!.path, { limits: { batchRowsPerDay: 100_000 } }, this.redis.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of NAMES) await this.stop(name);
    await this.redis[Symbol.asyncDispose]();
    for (const folder of this.#folders) folder[Symbol.dispose]();
  }
}

const asking = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

async function send(proxy: Proxy, key: string): Promise<{ readonly status: number; readonly id: string }> {
  const headers = { ...asking(key).headers, 'content-type': 'text/csv' };
  const body = `address\n${`"${SAMPLE_ADDRESS.address}"\n`.repeat(1500)}`;
  const sent = await proxy.fetch('/api/batches', { method: 'POST', headers, body });
  return { status: sent.status, id: ((await sent.json()) as { readonly id: string }).id };
}

for (const kind of ['haproxy', 'nginx'] as const) {
  given('batches').describe(`Two machines behind ${kind}`, function () {
    this.timeout(480_000);
    let machines: Machines;
    before(async () => {
      machines = await Machines.start();
    });
    after(() => machines[Symbol.asyncDispose]());

    const start = (options: ProxyOptions = {}): Promise<Proxy> =>
      startProxy(kind, [machines.of('a').url, machines.of('b').url], { hasMachines: true, ...options });

    /** Sends batches of as many keys as it takes until each machine has one. */
    async function oneOnEach(proxy: Proxy): Promise<Record<Name, { readonly key: string; readonly id: string }>> {
      const sent: Partial<Record<Name, { readonly key: string; readonly id: string }>> = {};
      while (!sent.a || !sent.b) {
        const key = await machines.newKey();
        const { id } = await send(proxy, key);
        sent[markOf(id) === machines.mark('a') ? 'a' : 'b'] = { key, id };
      }
      return { a: sent.a, b: sent.b };
    }

    it('get all requests of a key about batches at one of them, where they are found', async () => {
      await using proxy = await start();
      const sent = await oneOnEach(proxy);
      for (const name of NAMES) {
        const { key, id } = sent[name];
        expect(markOf(id)).to.equal(machines.mark(name));
        await new BatchClient(() => machines.of(name).url, key).ended(id);
        for (const path of [`/${id}`, `/${id}/results`, '?limit=5'])
          expect((await proxy.fetch(`/api/batches${path}`, asking(key))).status, path).to.equal(200);
        expect(markOf((await send(proxy, key)).id)).to.equal(machines.mark(name));
        expect((await proxy.fetch('/api/webhooks/deliveries', asking(key))).status).to.equal(200);
        const other = machines.of(name === 'a' ? 'b' : 'a');
        const elsewhere = await fetch(`${other.url}/api/batches/${id}`, asking(key));
        expect([elsewhere.status, ((await elsewhere.json()) as { machine?: string }).machine]).to.deep.equal([
          503,
          machines.mark(name),
        ]);
      }
    });

    it('keep the batches of one that is away for it, while the other answers lookups', async () => {
      await using proxy = await start();
      const { a, b } = await oneOnEach(proxy);
      await machines.stop('a');
      const away = await proxy.fetch(`/api/batches/${a.id}`, asking(a.key));
      expect([away.status, Number(away.headers.get('retry-after')) > 0]).to.deep.equal([503, true]);
      expect(((await away.json()) as { reason: string }).reason).to.not.equal('ELSEWHERE');
      expect((await send(proxy, a.key)).status, 'another batch of the key').to.equal(503);
      expect((await proxy.fetch(`/api/batches/${b.id}`, asking(b.key))).status).to.equal(200);
      await expectAnswers(() =>
        proxy.fetch('/api/lookup', {
          method: 'POST',
          headers: { ...asking(a.key).headers, 'content-type': 'application/json' },
          body: JSON.stringify(SAMPLE_ADDRESS),
        }),
      );
      await machines.start('a');
      expect(machines.mark('a')).to.equal(markOf(a.id));
      expect((await proxy.fetch(`/api/batches/${a.id}`, asking(a.key))).status).to.equal(200);
    });

    if (kind === 'haproxy')
      it('get requests about a batch by its mark, where the proxy knows the marks', async () => {
        await using before = await start();
        const { a, b } = await oneOnEach(before);
        const marks = { a: machines.mark('a'), b: machines.mark('b') };
        // The other way round, so that the keys' own machines change.
        const urls = [machines.of('b').url, machines.of('a').url] as const;
        await using proxy = await startProxy(kind, urls, { hasMachines: true, marks: { a: marks.b, b: marks.a } });
        for (const { key, id } of [a, b])
          expect((await proxy.fetch(`/api/batches/${id}`, asking(key))).status).to.equal(200);
      });
  });
}

given('batches').it('Processes of one machine have one mark', async () => {
  await using redis = await RedisServer.start();
  using folder = ownSampleFolder();
  const env = { REDIS_URL: redis.url };
  await using first = await ServiceHere.start(folder.path, env, PATIENT_REDIS);
  await using second = await ServiceHere.start(folder.path, env, PATIENT_REDIS);
  const markIn = ({ lines }: ServiceHere) => lines.find(({ message }) => message === 'serving')!['machine'];
  expect(markIn(first))
    .to.match(/^[0-9a-f]{8}$/)
    .and.equal(markIn(second));
});
