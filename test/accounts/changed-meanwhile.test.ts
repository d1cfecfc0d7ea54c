/** Changes that are asked for with a key whose record has changed since this process has read it: 401, 402 or 403, and nothing is written. */
import { expect } from 'chai';
import type { Express } from 'express';
import { Registry } from 'prom-client';
import { Authenticator } from '../../src/core/keys/authenticator.ts';
import { suspendCustomer } from '../../src/core/keys/customers.ts';
import { KeyStore, type Asker, type FoundKey } from '../../src/core/keys/key-store.ts';
import { expireKey, issueKey, revokeKey, rotateKey, setKey, type IssuedKey } from '../../src/core/keys/keys.ts';
import type { BatchJob } from '../../src/features/batches/job.ts';
import { createApp } from '../../src/core/http/app.ts';
import { lookupsOf, routesOf } from '../../src/core/http/routes.ts';
import { loadFeatures } from '../../src/features.ts';
import { batchEnded } from '../../src/core/parts/parts.ts';
import { webhooksPart } from '../../src/features/webhooks/webhooks.ts';
import { DAY_MS } from '../../src/messages/time.ts';
import { webhookSettings } from '../../src/features/webhooks/settings.ts';
import { WebhookReceiver } from '../support/doubles/webhook-receiver.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { keyPlaces, type KeyPlace } from '../support/drivers/key-stores.ts';
import { until } from '../support/drivers/patience.ts';
import { chosenFeatures } from '../support/drivers/chosen-features.ts';
import { given } from '../support/drivers/given.ts';

/** A key that asks, and all that it may change. */
interface Material extends IssuedKey {
  readonly other: string;
  readonly batch: BatchJob;
  readonly delivery: string;
}

interface Change {
  readonly at: (material: Material) => string;
  readonly body?: unknown;
  /** How often the key is read before the transaction that decides; missing: the change is not in the store of keys. */
  readonly reads?: number;
  readonly takesSuspended?: boolean;
}

const account = (path: string, rest: Omit<Change, 'at'> = {}): Change => ({
  at: () => `/api/account${path}`,
  takesSuspended: true,
  ...rest,
});

/** By method and path of the route. */
const CHANGES: Readonly<Record<string, Change>> = {
  'patch /api/account': account('', { reads: 1, body: { networks: ['0.0.0.0/0'] } }),
  'post /api/account/keys': account('/keys', { reads: 2, body: { name: 'further' }, takesSuspended: false }),
  'post /api/account/keys/rotate': account('/keys/rotate', { reads: 1, body: { overlapHours: 0 } }),
  'delete /api/account/keys/:id': { ...account('', { reads: 2 }), at: ({ other }) => `/api/account/keys/${other}` },
  'post /api/account/portal': account('/portal'),
  'post /api/webhooks/secret': { at: () => '/api/webhooks/secret', reads: 1 },
  'post /api/webhooks/deliveries/:id/resend': { at: ({ delivery }) => `/api/webhooks/deliveries/${delivery}/resend` },
  'delete /api/batches/:id': { at: ({ batch }) => `/api/batches/${batch.id}` },
  'post /api/batches/:id/cancel': { at: ({ batch }) => `/api/batches/${batch.id}/cancel` },
};

/** What another process does meanwhile, and what the change then gets. */
const MEANWHILE: Readonly<
  Record<string, readonly [status: number, (store: KeyStore, key: IssuedKey) => Promise<unknown>]>
> = {
  'was revoked': [401, (store, { record: { id } }) => revokeKey(store, id)],
  'was replaced without an overlap': [401, (store, { record: { id } }) => rotateKey(store, id, 0)],
  'was replaced, and is in its overlap': [403, (store, { record: { id } }) => rotateKey(store, id, DAY_MS)],
  'has ended': [401, (store, { record: { id } }) => expireKey(store, id, new Date(Date.now() - 1000).toISOString())],
  'was confined to other networks': [
    403,
    (store, { record: { id } }) => setKey(store, id, { limits: { networks: ['203.0.113.0/24'] } }),
  ],
  'has a customer who was suspended': [402, (store, { record }) => suspendCustomer(store, record.customer!, 'unpaid')],
};

describe('Routes that change something', () => {
  it('say for each method but GET whether it must be decided in the store, and are all tested here', async () => {
    const others = routesOf(await loadFeatures()).filter(({ method }) => method !== 'get');
    const undecided = others.filter(({ changes }) => changes !== true && !/^no: .{10}/.test(changes ?? ''));
    expect(undecided.map(({ path }) => path)).to.deep.equal([]);
    const changing = others.filter(({ changes }) => changes === true);
    expect(changing.map(({ method, path }) => `${method} ${path}`)).to.have.members(Object.keys(CHANGES));
  });

  given('account', 'batches', 'webhooks').it('are in the table of routes, all but lookups', async () => {
    await using front = await startFrontEnd();
    const features = await loadFeatures(chosenFeatures);
    const inTable = routesOf(features).map(({ method, path }) => `${method} ${path}`);
    const inApp = posted(createApp({ ...front.services, metrics: new Registry() }, features));
    expect(inApp).to.include.members(Object.keys(CHANGES));
    const outside = inApp.filter((one) => !inTable.includes(one));
    // They change nothing: each other method of their paths gets 405.
    expect(new Set(outside.map((one) => one.split(' ')[1]))).to.deep.equal(
      new Set(lookupsOf(features).map(({ path }) => path)),
    );
  });
});

/** The routes of an app that are not for GET alone. */
function posted(app: Express): readonly string[] {
  interface Layer {
    readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
    readonly handle: { readonly stack?: readonly Layer[] };
  }
  const within = (layers: readonly Layer[]): readonly string[] =>
    layers.flatMap(({ route, handle }) => {
      if (!route) return within(handle.stack ?? []);
      return Object.keys(route.methods).flatMap((name) =>
        ['post', 'put', 'patch', 'delete'].includes(name) ? [`${name} ${route.path}`] : [],
      );
    });
  return within((app as unknown as { readonly router: { readonly stack: readonly Layer[] } }).router.stack);
}

for (const [name, openPlace] of Object.entries(keyPlaces)) {
  describe(`A change by a key that this process remembers, with keys in ${name}`, function () {
    this.timeout(240_000);
    let place: KeyPlace;
    let elsewhere: KeyStore;
    let receiver: WebhookReceiver;
    before(async () => {
      place = await openPlace();
      elsewhere = await place.open();
      receiver = await WebhookReceiver.start();
    });
    after(async () => {
      await receiver[Symbol.asyncDispose]();
      await elsewhere[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    async function startHere(): Promise<FrontEnd & { readonly own: KeyStore }> {
      const own = await place.open();
      const front = await startFrontEnd({
        ofFeatures: new Map([[webhookSettings, { allow: ['127.0.0.1'] }]]),
        overrides: { keys: own },
      });
      return {
        ...front,
        own,
        [Symbol.asyncDispose]: async () => {
          await front[Symbol.asyncDispose]();
          await own[Symbol.asyncDispose]();
        },
      };
    }

    let customers = 0;
    async function prepare(front: FrontEnd): Promise<Material> {
      const customer = `cus_${++customers}`;
      const made = await issueKey(elsewhere, { name: 'Example', customer, limits: { batchRowsPerDay: 10 } });
      const { record: other } = await issueKey(elsewhere, { name: 'Other', customer });
      const sent = await fetch(`${front.url}/api/batches`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.key}`, 'content-type': 'text/csv' },
        body: 'address\n1 Main St\n',
      });
      expect(sent.status, await sent.clone().text()).to.equal(202);
      const batch = (await front.batches().find(((await sent.json()) as { id: string }).id))!;
      const webhooks = front.services.parts.of(webhooksPart);
      const endedAt = new Date().toISOString();
      const ended = { ...batch, state: 'completed', endedAt, callbackUrl: receiver.url('/') };
      await front.services.events.tell(batchEnded, { ...ended, describe: () => batch });
      const delivery = webhooks.list(made.record.id, { limit: 1, after: null })![0]!.id;
      await until(() => webhooks.find(made.record.id, delivery)?.state === 'delivered');
      return { ...made, other: other.id, batch, delivery };
    }

    function ask(front: FrontEnd, route: string, material: Material): Promise<Response> {
      const { at, body } = CHANGES[route]!;
      return fetch(front.url + at(material), {
        method: route.split(' ')[0]!.toUpperCase(),
        headers: {
          authorization: `Bearer ${material.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    }

    /** Everything that a change could touch. */
    async function stored(front: FrontEnd, { record, batch, delivery }: Material): Promise<unknown> {
      return {
        keys: (await elsewhere.list()).filter(({ customer }) => customer === record.customer),
        entries: (await elsewhere.audit()).length,
        secrets: await elsewhere.changeWebhookSecrets(record.id, () => null),
        batch: await front.batches().find(batch.id),
        delivery: front.services.parts.of(webhooksPart).find(record.id, delivery),
      };
    }

    for (const [what, [status, change]] of Object.entries(MEANWHILE)) {
      given('account', 'batches', 'webhooks').it(`that ${what}: ${status}, and nothing is written`, async () => {
        await using front = await startHere();
        for (const [route, { takesSuspended }] of Object.entries(CHANGES)) {
          if (status === 402 && takesSuspended) continue;
          const material = await prepare(front);
          await change(elsewhere, material);
          const before = await stored(front, material);
          expect((await ask(front, route, material)).status, route).to.equal(status);
          expect(await stored(front, material), route).to.deep.equal(before);
        }
      });

      given('account', 'batches', 'webhooks').it(
        `that ${what} between the first look at it and the write: the same`,
        async () => {
          await using front = await startHere();
          for (const [route, { reads, takesSuspended }] of Object.entries(CHANGES)) {
            if (reads === undefined || (status === 402 && takesSuspended)) continue;
            const material = await prepare(front);
            let before: unknown;
            let calls = 0;
            front.own.asking = async (asker: Asker): Promise<FoundKey> => {
              const asking = await KeyStore.prototype.asking.call(front.own, asker);
              if (++calls === reads) {
                await change(elsewhere, material);
                before = await stored(front, material);
              }
              return asking;
            };
            expect((await ask(front, route, material)).status, route).to.equal(status);
            expect(calls, route).to.equal(reads);
            expect(await stored(front, material), route).to.deep.equal(before);
          }
        },
      );
    }

    given('account', 'batches', 'webhooks').it(
      'that is as it was: each is made, also for a suspended customer where that is promised',
      async () => {
        await using front = await startHere();
        for (const [route, { takesSuspended }] of Object.entries(CHANGES)) {
          const material = await prepare(front);
          if (takesSuspended) await suspendCustomer(elsewhere, material.record.customer!, 'unpaid');
          const before = await stored(front, material);
          const { status } = await ask(front, route, material);
          // There is no payment processor here.
          if (route.endsWith('/portal')) expect(status).to.equal(404);
          else expect(status, route).to.be.within(200, 204);
          if (!route.endsWith('/portal')) expect(await stored(front, material), route).to.not.deep.equal(before);
        }
      },
    );

    it('is refused at once by the process that ended it, whatever is being read meanwhile', async () => {
      await using store = await place.open();
      const made = await issueKey(store, { name: 'Example' });
      const authorization = `Bearer ${made.key}`;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      let finds = 0;
      const find = async (hash: string): Promise<FoundKey | null> => {
        const found = await store.find(hash);
        if (++finds === 1) await released;
        return found;
      };
      const authenticator = new Authenticator({
        find,
        watch: (onChanged) => {
          store.watch(onChanged);
        },
      });
      const underWay = authenticator.authenticate(authorization).catch((cause: unknown) => cause);
      await until(() => finds === 1);
      await rotateKey(store, made.record.id, 0);
      release();
      expect(await underWay).to.have.property('code', 'UNAUTHORIZED');
      for (const end of endings(store)) {
        const { key, record } = await issueKey(store, { name: 'Example' });
        await authenticator.authenticate(`Bearer ${key}`);
        expect(authenticator.remembered(`Bearer ${key}`)).to.have.property('id', record.id);
        await end(record.id);
        expect(authenticator.remembered(`Bearer ${key}`)).to.equal(null);
      }
    });
  });
}

/** Each way to change a key, by its id. */
function endings(store: KeyStore): readonly ((id: string) => Promise<unknown>)[] {
  return [
    (id) => revokeKey(store, id),
    (id) => rotateKey(store, id, DAY_MS),
    (id) => setKey(store, id, { limits: { networks: ['203.0.113.0/24'] } }),
  ];
}
