/** Sending: signatures, retries, receivers that fail in every way, bounds, retention. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { makeCertificate } from '../../support/doubles/certificate.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { programFile } from '../../support/drivers/program.ts';
import { manners, verifyWebhook, WebhookReceiver, type Manner } from '../../support/doubles/webhook-receiver.ts';
import {
  anEndedBatch,
  deliveriesOnce,
  hasEnded,
  impatient,
  quick,
  secretsInMemory,
  startWebhooks,
} from '../../support/drivers/webhooks.ts';
import { retryDelaysMs, type Delivery } from '../../../src/features/webhooks/delivery.ts';
import { DeliveryStore } from '../../../src/features/webhooks/delivery-store.ts';

const DAY_MS = 86_400_000;

describe('Webhooks', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    folder = temporaryFolder();
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await receiver[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('are signed so that a verification from the specification and the reference library accept them', async () => {
    const secrets = secretsInMemory();
    await using webhooks = startWebhooks(folder.path, { secrets });
    const batch = anEndedBatch(receiver.url('/ok?x=1'));
    webhooks.batchEnded(batch);
    await deliveriesOnce(webhooks, hasEnded);
    const [received] = receiver.received;
    const { secret } = secrets.secrets.get('key_a')![0]!;
    expect(secret).to.match(/^whsec_/);
    expect(Buffer.from(secret.slice(6), 'base64')).to.have.length(32);
    expect(verifyWebhook(received!, secret)).to.equal(1);
    new Webhook(secret).verify(received!.body, received!.headers as Record<string, string>);
    expect(() => verifyWebhook({ ...received!, body: `${received!.body} ` }, secret)).to.throw('no signature');
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expect(() => verifyWebhook(received!, other)).to.throw('no signature');
    expect(received).to.deep.include({ method: 'POST', path: '/ok?x=1' });
    expect(received!.headers['content-type']).to.equal('application/json');
    const data = { id: batch.id, state: 'completed' };
    expect(JSON.parse(received!.body)).to.deep.equal({ type: 'batch.completed', timestamp: batch.endedAt, data });
  });

  it('wait for a process that has their key, without a secret that its owner does not have', async () => {
    const secrets = secretsInMemory();
    const other = startWebhooks(folder.path, { secrets, hasKey: () => Promise.resolve(false) });
    other.batchEnded(anEndedBatch(receiver.url('/ok')));
    await sleep(200);
    expect(receiver.received).to.have.length(0);
    expect(secrets.secrets.size).to.equal(0);
    expect((await deliveriesOnce(other, ({ state }) => state === 'pending'))[0]!.attempts).to.deep.equal([]);
    await other[Symbol.asyncDispose]();
  });

  it('have two signatures for a day after a rotation, and one again after it', async () => {
    const secrets = secretsInMemory();
    await using webhooks = startWebhooks(folder.path, { secrets });
    const first = await webhooks.rotateSecret('key_a');
    expect(first.previousEndsAt).to.equal(null);
    const second = await webhooks.rotateSecret('key_a');
    expect(Date.parse(second.previousEndsAt!) - Date.now()).to.be.within(DAY_MS - 900_000, DAY_MS);
    webhooks.batchEnded(anEndedBatch(receiver.url('/two')));
    await deliveriesOnce(webhooks, hasEnded);
    for (const { secret } of [first, second]) expect(verifyWebhook(receiver.at('/two')[0]!, secret)).to.equal(2);
    const [present, previous] = secrets.secrets.get('key_a')!;
    secrets.secrets.set('key_a', [present!, { ...previous!, endsAt: new Date(Date.now() - 1).toISOString() }]);
    webhooks.batchEnded(anEndedBatch(receiver.url('/one')));
    await deliveriesOnce(webhooks, hasEnded);
    expect(verifyWebhook(receiver.at('/one')[0]!, second.secret)).to.equal(1);
    expect(() => verifyWebhook(receiver.at('/one')[0]!, first.secret)).to.throw('no signature');
  });

  it('tell each end that is an event, once, and no other', async () => {
    await using webhooks = startWebhooks(folder.path);
    const url = receiver.url('/');
    for (const state of ['completed', 'failed', 'expired', 'cancelled', 'running']) {
      const batch = anEndedBatch(url, { id: `bat_${state}`, state });
      for (let i = 0; i < 3; i++) webhooks.batchEnded(batch);
    }
    webhooks.batchEnded(anEndedBatch(null));
    webhooks.batchEnded(anEndedBatch(url, { endedAt: new Date(Date.now() - 31 * DAY_MS).toISOString() }));
    const deliveries = await deliveriesOnce(webhooks, hasEnded);
    expect(deliveries.map(({ type, batch }) => [type, batch])).to.deep.equal([
      ['batch.expired', 'bat_expired'],
      ['batch.failed', 'bat_failed'],
      ['batch.completed', 'bat_completed'],
    ]);
    await sleep(100);
    expect(receiver.received).to.have.length(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(3);
  });

  for (const [name, manner] of Object.entries(manners)) {
    const isSuccess = ['accepts', 'answers 200 with an endless body'].includes(name);
    const expected = isSuccess ? 'delivered' : name === 'answers 410' ? 'disabled' : 'failed';
    it(`survive a receiver that ${name}`, async () => {
      const times = expected === 'failed' ? impatient : quick;
      await using webhooks = startWebhooks(folder.path, { times });
      receiver.manners.set('/bad', manner);
      webhooks.batchEnded(anEndedBatch(receiver.url('/bad')));
      const [delivery] = await deliveriesOnce(webhooks, hasEnded);
      expect(delivery!.state).to.equal(expected);
      expect(delivery!.attempts).to.have.length(expected === 'failed' ? quick.delaysMs.length + 1 : 1);
      for (const { error, status } of delivery!.attempts) {
        if (isSuccess) expect([error, Math.floor(status! / 100)]).to.deep.equal([null, 2]);
        else expect(error).to.be.a('string').that.is.not.empty;
      }
      const after = receiver.received.length;
      await sleep(150);
      expect(receiver.received, 'nothing after the end').to.have.length(after);
      const path = receiver.received.map((one) => one.path);
      expect(path).to.not.include('/inside');
      // Others are not kept waiting.
      webhooks.batchEnded(anEndedBatch(receiver.url('/good')));
      expect((await deliveriesOnce(webhooks, hasEnded))[0]!.state).to.equal('delivered');
    });
  }

  it('survive a receiver that refuses connections, and say so', async () => {
    const { port } = receiver;
    await receiver[Symbol.asyncDispose]();
    await using webhooks = startWebhooks(folder.path, { allow: ['127.0.0.1', 'localhost'] });
    webhooks.batchEnded(anEndedBatch(`http://127.0.0.1:${port}/`));
    webhooks.batchEnded(anEndedBatch(`http://localhost:${port}/`));
    for (const { state, attempts } of await deliveriesOnce(webhooks, hasEnded)) {
      expect(state).to.equal('failed');
      expect(attempts[0]!.error).to.contain('ECONNREFUSED');
    }
    receiver = await WebhookReceiver.start();
  });

  it('are not sent to a receiver whose certificate is not trusted', async () => {
    const certificate = makeCertificate(folder.path);
    const pem = readFileSync(certificate.file);
    let requests = 0;
    const server = createServer({ key: pem, cert: pem }, (_req, res) => {
      requests++;
      res.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using webhooks = startWebhooks(folder.path);
    webhooks.batchEnded(anEndedBatch(`https://127.0.0.1:${port}/`));
    const [delivery] = await deliveriesOnce(webhooks, hasEnded);
    server.close();
    expect([delivery!.state, requests]).to.deep.equal(['failed', 0]);
    expect(delivery!.attempts[0]!.error).to.match(/certificate/);
  });

  it('are sent over TLS to a receiver whose certificate is trusted and of its name', async () => {
    const certificate = makeCertificate(folder.path);
    const pem = readFileSync(certificate.file);
    const paths: string[] = [];
    const server = createServer({ key: pem, cert: pem }, (req, res) => {
      paths.push(req.url!);
      res.end();
    }).listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    using store = new DeliveryStore(join(folder.path, 'batches', 'webhooks.sqlite'), 1000);
    const program = programFile('../../support/drivers/webhook-sender', import.meta.url);
    // The certificate is of localhost and 127.0.0.1.
    for (const [name, host] of [
      ['good', 'localhost'],
      ['other', '127.0.0.2'],
    ] as const) {
      const child = spawn(process.execPath, [program, folder.path, `https://${host}:${port}`, name, '1'], {
        // Node.js reads further authorities at its start only.
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate.file },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const wasTried = (): boolean =>
        store
          .list('key_0', { limit: 9, after: null })!
          .some((one) => one.batch.includes(name) && one.attempts.length > 0);
      while (!wasTried()) await sleep(50);
      child.kill('SIGKILL');
      await ended;
    }
    server.close();
    expect(paths).to.deep.equal(['/bat_good_0']);
    const [other, good] = store.list('key_0', { limit: 9, after: null })!;
    expect([good!.state, other!.state]).to.deep.equal(['delivered', 'pending']);
    expect(other!.attempts[0]!.error).to.match(/altnames/);
  });

  it('are tried again until the receiver takes them, with the same id and body and a signature of the moment', async () => {
    const secrets = secretsInMemory();
    await using webhooks = startWebhooks(folder.path, { secrets });
    let refusals = 3;
    receiver.manners.set('/later', (res, ...rest) => {
      const manner: Manner = refusals-- > 0 ? manners['answers 500'] : manners.accepts;
      manner(res, ...rest);
    });
    webhooks.batchEnded(anEndedBatch(receiver.url('/later')));
    const [delivery] = await deliveriesOnce(webhooks, hasEnded);
    expect(delivery!.attempts.map(({ status }) => status)).to.deep.equal([500, 500, 500, 204]);
    const got = receiver.at('/later');
    expect(new Set(got.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).to.equal(1);
    expect(got[0]!.headers['webhook-id']).to.equal(delivery!.id);
    for (const one of got) verifyWebhook(one, secrets.secrets.get('key_a')![0]!.secret);
  });

  it('follow the schedule of the specification, over three days, with jitter, and wait longer when asked to', async () => {
    const hours = retryDelaysMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
    expect(hours).to.be.within(72, 80);
    await using webhooks = startWebhooks(folder.path, { times: { pollMs: 20 } });
    receiver.manners.set('/asks', (res) => res.writeHead(503, { 'retry-after': '600' }).end());
    receiver.manners.set('/plain', manners['answers 500']);
    for (const path of ['/asks', '/plain', '/plain', '/plain']) webhooks.batchEnded(anEndedBatch(receiver.url(path)));
    const deliveries = await deliveriesOnce(webhooks, ({ attempts }) => attempts.length === 1);
    const waits = deliveries.map(
      ({ nextAttemptAt, attempts: [first] }) => Date.parse(nextAttemptAt!) - Date.parse(first!.at) - first!.ms,
    );
    const [asked, ...plain] = waits.sort((a, b) => b - a);
    expect(asked).to.be.within(599_990, 1_200_000);
    for (const ms of plain) expect(ms).to.be.within(4490, 20_000);
    expect(new Set(plain).size, 'jitter').to.be.above(1);
  });

  it('no longer go to a receiver that answered 410, until its owner sends one again', async () => {
    await using webhooks = startWebhooks(folder.path);
    const url = receiver.url('/gone');
    receiver.manners.set('/gone', manners['answers 410']);
    webhooks.batchEnded(anEndedBatch(url));
    await deliveriesOnce(webhooks, hasEnded);
    webhooks.batchEnded(anEndedBatch(url));
    webhooks.batchEnded(anEndedBatch(url, { keyId: 'key_b' }));
    webhooks.batchEnded(anEndedBatch(receiver.url('/other')));
    await deliveriesOnce(webhooks, hasEnded, { keyId: 'key_b' });
    const [other, second, first] = await deliveriesOnce(webhooks, hasEnded);
    expect([other!.state, second!.state, first!.state]).to.deep.equal(['delivered', 'disabled', 'disabled']);
    for (const { reason } of [second!, first!]) expect(reason).to.match(/^the receiver answered 410 at 20/);
    // One of each key: what one key's receiver says holds for that key alone.
    expect(receiver.at('/gone')).to.have.length(2);
    receiver.manners.delete('/gone');
    expect(webhooks.resend('key_a', first!.id)).to.equal('queued');
    const [, , again] = await deliveriesOnce(webhooks, ({ state }) => state !== 'pending');
    expect([again!.state, again!.reason, again!.attempts.length]).to.deep.equal(['delivered', null, 2]);
    webhooks.batchEnded(anEndedBatch(url));
    expect((await deliveriesOnce(webhooks, hasEnded))[0]!.state).to.equal('delivered');
  });

  it('are sent again by hand, but not while an attempt is under way', async () => {
    await using webhooks = startWebhooks(folder.path);
    let answer = (): void => undefined;
    receiver.manners.set('/slow', (res) => (answer = () => res.end()));
    const batch = anEndedBatch(receiver.url('/slow'));
    webhooks.batchEnded(batch);
    while (receiver.received.length === 0) await sleep(5);
    const { id } = webhooks.list('key_a', { limit: 1, after: null })![0]!;
    expect(webhooks.resend('key_a', id)).to.equal('under way');
    answer();
    receiver.manners.delete('/slow');
    await deliveriesOnce(webhooks, hasEnded);
    expect(webhooks.resend('key_b', id)).to.equal('unknown');
    expect(webhooks.resend('key_a', 'evt_other')).to.equal('unknown');
    expect(webhooks.resend('key_a', id)).to.equal('queued');
    await deliveriesOnce(webhooks, hasEnded);
    expect(receiver.at('/slow')).to.have.length(2);
  });

  it('are at most two at a time to one host and four of one key, and others pass', async () => {
    await using webhooks = startWebhooks(folder.path);
    let [now, most] = [0, 0];
    let answer = (): void => undefined;
    const isTime = new Promise<void>((resolve) => (answer = resolve));
    receiver.manners.set('/slow', (res) => {
      most = Math.max(most, ++now);
      void isTime.then(() => {
        now--;
        res.end();
      });
    });
    for (let i = 0; i < 12; i++) webhooks.batchEnded(anEndedBatch(receiver.url('/slow')));
    webhooks.batchEnded(anEndedBatch(receiver.url('/quick', 'localhost'), { keyId: 'key_b' }));
    await deliveriesOnce(webhooks, hasEnded, { keyId: 'key_b' });
    expect(webhooks.counts().pending).to.equal(12);
    answer();
    await deliveriesOnce(webhooks, hasEnded);
    expect(most).to.equal(2);
  });

  it('wait without an attempt while the secrets cannot be read', async () => {
    const broken = { changeWebhookSecrets: () => Promise.reject(new Error('Redis is away')) };
    const webhooks = startWebhooks(folder.path, { secrets: broken });
    webhooks.batchEnded(anEndedBatch(receiver.url('/')));
    const isPutOff = ({ nextAttemptAt }: Delivery): boolean => Date.parse(nextAttemptAt!) > Date.now() + 1000;
    const [delivery] = await deliveriesOnce(webhooks, isPutOff);
    await webhooks[Symbol.asyncDispose]();
    expect([delivery!.state, delivery!.attempts.length, receiver.received.length]).to.deep.equal(['pending', 0, 0]);
    await using others = startWebhooks(folder.path);
    expect(others.resend('key_a', delivery!.id)).to.equal('queued');
    expect((await deliveriesOnce(others, hasEnded))[0]!.state).to.equal('delivered');
  });

  it('are shared by the processes of a machine: each is sent by one', async () => {
    await using one = startWebhooks(folder.path);
    await using two = startWebhooks(folder.path);
    for (let i = 0; i < 40; i++) (i % 2 ? one : two).batchEnded(anEndedBatch(receiver.url(`/${i}`)));
    await deliveriesOnce(two, hasEnded);
    expect(receiver.received).to.have.length(40);
    expect(new Set(receiver.received.map(({ path }) => path)).size).to.equal(40);
  });

  it('are kept for 30 days after their end, in a file for its owner alone', async () => {
    await using webhooks = startWebhooks(folder.path);
    for (const path of ['/old', '/new']) webhooks.batchEnded(anEndedBatch(receiver.url(path)));
    await deliveriesOnce(webhooks, hasEnded);
    const file = join(folder.path, 'batches', 'webhooks.sqlite');
    for (const name of [file, `${file}-wal`]) expect(statSync(name).mode & 0o777).to.equal(0o600);
    const db = new Database(file);
    db.prepare(`UPDATE delivery SET ended_ms = ? WHERE url LIKE '%/old'`).run(Date.now() - 31 * DAY_MS);
    db.close();
    using store = new DeliveryStore(file, 1000);
    expect(store.expire(Date.now())).to.equal(1);
    expect(webhooks.list('key_a', { limit: 9, after: null })!.map(({ url }) => url)).to.deep.equal([
      receiver.url('/new'),
    ]);
  });
});
