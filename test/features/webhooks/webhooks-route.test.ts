/** `/api/webhooks/…`, over HTTP. Each answer is held against the OpenAPI document (test/support/oracles/contract-hook.ts). */
import { requestLimit } from '../../../src/features/webhooks/webhooks-route.ts';
import { join } from 'node:path';
import { expect } from 'chai';
import { issueKey } from '../../../src/core/keys/keys.ts';
import { keysInFile } from '../../../src/core/keys/open-key-store.ts';
import type { KeyStore } from '../../../src/core/keys/key-store.ts';
import type { DeliveriesBody, WebhookSecretBody } from '../../../src/features/webhooks/wire.ts';
import { Webhooks } from '../../../src/features/webhooks/webhooks.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { capturingLogger, startFrontEnd, type FrontEnd } from '../../support/drivers/front-end.ts';
import { verifyWebhook, WebhookReceiver } from '../../support/doubles/webhook-receiver.ts';
import { anEndedBatch, deliveriesOnce, hasEnded, quick } from '../../support/drivers/webhooks.ts';

const UNKNOWN = `evt_${'0'.repeat(32)}`;

describe('/api/webhooks', function () {
  this.timeout(240_000);
  let receiver: WebhookReceiver;
  let front: FrontEnd;
  let folder: ReturnType<typeof temporaryFolder>;
  let store: KeyStore;
  let webhooks: Webhooks;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    folder = temporaryFolder();
    store = keysInFile(join(folder.path, 'accounts.sqlite'));
    webhooks = new Webhooks({
      dataDir: folder.path,
      secrets: store,
      allow: ['127.0.0.1'],
      logger: capturingLogger().logger,
      describe: (batch) => batch,
      isClockTrusted: () => true,
      times: quick,
    });
    front = await startFrontEnd({ overrides: { keys: store }, parts: { webhooks } });
  });
  afterEach(async () => {
    await front[Symbol.asyncDispose]();
    await webhooks[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
    await receiver[Symbol.asyncDispose]();
  });

  function ask(method: string, path: string, key = front.key): Promise<Response> {
    return fetch(`${front.url}/api/webhooks/${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  }

  async function send(count: number, path = '/ok', keyId = front.keyId): Promise<void> {
    for (let i = 0; i < count; i++) webhooks.batchEnded(anEndedBatch(receiver.url(path), { keyId }));
    await deliveriesOnce(webhooks, hasEnded, { keyId });
  }

  async function codeOf(response: Response): Promise<unknown> {
    const { code, detail } = (await response.json()) as Record<string, string>;
    return [response.status, code, detail];
  }

  it('lists the deliveries of the key, newest first, page by page', async () => {
    await send(5);
    await send(1, '/others', 'key_other');
    const pages: DeliveriesBody[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.nextCursor) {
      const response = await ask('GET', `deliveries?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(response.status).to.equal(200);
      expect(response.headers.get('ratelimit-policy')).to.equal('"webhooks";q=1000;w=3600');
      pages.push((await response.json()) as DeliveriesBody);
    }
    expect(pages.map(({ deliveries }) => deliveries.length)).to.deep.equal([2, 2, 1]);
    const all = (await (await ask('GET', 'deliveries')).json()) as DeliveriesBody;
    expect(pages.flatMap(({ deliveries }) => deliveries)).to.deep.equal(all.deliveries);
    const times = all.deliveries.map(({ createdAt }) => createdAt);
    expect(times).to.deep.equal([...times].sort().reverse());
    const { attempts, ...rest } = all.deliveries[0]!;
    expect(rest).to.deep.include({
      type: 'batch.completed',
      url: receiver.url('/ok'),
      state: 'delivered',
      nextAttemptAt: null,
    });
    expect(attempts[0]).to.deep.include({ status: 204, error: null });
  });

  it('sends again what belongs to the key and is not under way', async () => {
    await send(1);
    const [delivery] = webhooks.list(front.keyId, { limit: 1, after: null })!;
    const response = await ask('POST', `deliveries/${delivery!.id}/resend`);
    expect(response.status).to.equal(202);
    expect(await response.json()).to.deep.include({ id: delivery!.id, state: 'pending' });
    await deliveriesOnce(webhooks, hasEnded, { keyId: front.keyId });
    expect(receiver.received).to.have.length(2);
    const other = (await issueKey(front.store, { name: 'other' })).key;
    const notFound = [404, 'NOT_FOUND', 'this key has no such delivery'];
    expect(await codeOf(await ask('POST', `deliveries/${delivery!.id}/resend`, other))).to.deep.equal(notFound);
    expect(await codeOf(await ask('POST', `deliveries/${UNKNOWN}/resend`))).to.deep.equal(notFound);
    expect(await codeOf(await ask('POST', 'deliveries/evt_1/resend'))).to.deep.equal(notFound);
  });

  it('answers 409 while an attempt is under way', async () => {
    let arrived = (): void => undefined;
    const isHere = new Promise<void>((resolve) => (arrived = resolve));
    // It never answers.
    receiver.manners.set('/slow', () => {
      arrived();
    });
    webhooks.batchEnded(anEndedBatch(receiver.url('/slow'), { keyId: front.keyId }));
    await isHere;
    const [delivery] = webhooks.list(front.keyId, { limit: 1, after: null })!;
    expect(await codeOf(await ask('POST', `deliveries/${delivery!.id}/resend`))).to.deep.equal([
      ...[409, 'CONFLICT', 'an attempt of this delivery is under way: ask again in a minute'],
    ]);
  });

  it('gives a new secret, which signs from then on', async () => {
    const response = await ask('POST', 'secret');
    expect(response.status).to.equal(200);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    const { secret, previousEndsAt } = (await response.json()) as WebhookSecretBody;
    expect(previousEndsAt).to.equal(null);
    await send(1);
    expect(verifyWebhook(receiver.received[0]!, secret)).to.equal(1);
    expect(JSON.stringify(front.lines)).to.not.contain('whsec_');
    const next = (await (await ask('POST', 'secret')).json()) as WebhookSecretBody;
    await send(1);
    for (const one of [secret, next.secret]) expect(verifyWebhook(receiver.received[1]!, one)).to.equal(2);
  });

  it('refuses what is not as documented', async () => {
    for (const [method, path] of [
      ['GET', 'deliveries?limit=0'],
      ['GET', 'deliveries?limit=101'],
      ['GET', 'deliveries?limit=x'],
      ['GET', 'deliveries?limit=1&limit=2'],
      ['GET', 'deliveries?cursor=1'],
      ['GET', `deliveries?cursor=${UNKNOWN}`],
      ['GET', 'deliveries?state=failed'],
      ['POST', 'secret?x=1'],
      ['POST', `deliveries/${UNKNOWN}/resend?x=1`],
    ] as const) {
      const response = await ask(method, path);
      expect(response.status, path).to.equal(400);
      await response.body?.cancel();
    }
    for (const [method, path] of [
      ['POST', 'deliveries'],
      ['GET', 'secret'],
      ['GET', `deliveries/${UNKNOWN}/resend`],
    ] as const) {
      expect((await ask(method, path)).status, path).to.equal(405);
    }
    expect((await ask('GET', 'deliveries', 'olk_nothing')).status).to.equal(401);
    expect((await ask('GET', `deliveries/${UNKNOWN}`)).status).to.equal(404);
  });

  it('has an hourly limit of its own', async () => {
    const requests = front.services.quotas.of(requestLimit);
    for (let i = 0; i < 1000; i++) await requests.spend(front.keyId, 1000);
    const response = await ask('GET', 'deliveries');
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).to.deep.equal([429, true]);
    expect((await front.post({ address: '1 Main St, Town, ON' })).status).to.equal(200);
  });
});
