/** `/api/account…`, over HTTP. Each answer is held against the OpenAPI document (test/support/oracles/contract-hook.ts). */
import { changeLimit, requestLimit } from '../../../src/features/account/own.ts';
import { expect } from 'chai';
import { suspendCustomer } from '../../../src/core/keys/customers.ts';
import type { KeyStore } from '../../../src/core/keys/key-store.ts';
import { issueKey, setKey, type NewKey } from '../../../src/core/keys/keys.ts';
import type { AccountBody, NewKeyBody, RotatedKeyBody, UsageBody } from '../../../src/features/account/wire.ts';
import { startFrontEnd, type FrontEnd } from '../../support/drivers/front-end.ts';
import { keyPlaces, type KeyPlace } from '../../support/drivers/key-stores.ts';

const ASKED = { address: '1 Main St, Toronto, ON' };
const HOUR_MS = 3_600_000;

/** Stands where `it` is for a case that is tested elsewhere. */
const ignored = (): undefined => undefined;

for (const [name, openPlace] of Object.entries(keyPlaces)) {
  describe(`/api/account with keys in ${name}`, function () {
    this.timeout(240_000);
    /** For what is above the store, and the same on any. */
    const onFileOnly = name === 'SQLite' ? it : ignored;
    let place: KeyPlace;
    let store: KeyStore;
    let front: FrontEnd;
    before(async () => {
      place = await openPlace();
    });
    beforeEach(async () => {
      store = await place.open();
      front = await startFrontEnd({ overrides: { keys: store } });
    });
    afterEach(async () => {
      await front[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    });
    after(async () => {
      await place[Symbol.asyncDispose]();
    });

    let customers = 0;
    /** A key of a customer of its own. */
    async function paying(values: Partial<NewKey> = {}) {
      return issueKey(store, { name: 'Example', customer: `cus_${++customers}`, ...values });
    }

    function ask(key: string, method: string, path = '', body?: unknown): Promise<Response> {
      return fetch(`${front.url}/api/account${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    }

    async function json<T>(reply: Promise<Response>, status = 200): Promise<T> {
      const response = await reply;
      const text = await response.text();
      expect(response.status, text).to.equal(status);
      return JSON.parse(text) as T;
    }

    async function refusal(reply: Promise<Response>): Promise<[number, string, string]> {
      const response = await reply;
      const { code, detail } = (await response.json()) as { code: string; detail: string };
      return [response.status, code, detail];
    }

    const account = (key: string): Promise<AccountBody> => json(ask(key, 'GET'));
    const lookUp = (key: string): Promise<Response> => front.post(ASKED, { authorization: `Bearer ${key}` });

    it('shows a key its limits, its use and the other keys of its customer, and no secret', async () => {
      const { key, record } = await paying({ limitPerHour: 10, limits: { batchRowsPerDay: 500, inFlight: 3 } });
      const { record: other } = await issueKey(store, { name: 'Other', customer: record.customer });
      const { record: foreign } = await paying({ name: 'Foreign' });
      for (let i = 0; i < 3; i++) expect((await lookUp(key)).status).to.equal(200);
      const at = new Date().toISOString();
      await store.noteUse(new Map([[record.id, at]]));
      const response = await ask(key, 'GET');
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(response.headers.get('ratelimit-policy')).to.equal('"account";q=600;w=3600');
      const text = await response.text();
      for (const { hash } of [...record.secrets, ...other.secrets]) expect(text).to.not.contain(hash);
      expect(text)
        .to.not.match(/olk_|cus_/)
        .and.to.not.contain(foreign.id);
      const body = JSON.parse(text) as AccountBody;
      expect(body).to.deep.include({
        ...{
          id: record.id,
          name: 'Example',
          lastUsedAt: at,
          askedFrom: '127.0.0.1',
          isBilled: true,
          isSuspended: false,
        },
        ...{ networks: [], batchRowsToday: 0, mostKeys: 5 },
        limits: { perHour: 10, perSecond: null, atOnce: 3, batchRowsPerDay: 500, budgetPerMonth: null },
        keys: [{ id: other.id, name: 'Other', createdAt: other.createdAt, expiresAt: null, lastUsedAt: null }],
        secrets: [{ createdAt: record.createdAt, endsAt: null, isThis: true }],
      });
      expect(body.hour.left).to.equal(7);
      expect(body.month).to.deep.include({
        lookups: 3,
        batchRows: 0,
        elsewhere: 0,
        used: 3,
        budgetPerMonth: null,
        left: null,
      });
      expect(body.month.month).to.equal(at.slice(0, 7));
      expect(body.cost).to.deep.equal({ lookups: 3, amount: null, currency: null, perLookup: null, isComplete: true });
    });

    onFileOnly('gives usage by day and month, of the key and of the customer, as JSON and CSV', async () => {
      const { key, record } = await paying();
      const { key: second } = await issueKey(store, { name: 'Other', customer: record.customer });
      await lookUp(key);
      await lookUp(second);
      const { journal } = front.services;
      const rows = { ids: [`lkp_${record.id.padEnd(32, '0')}`], keyId: record.id, customer: record.customer };
      await front.services.journal.do('recordRows', { ...rows, mostOfMonth: null });
      expect(journal).to.equal(front.services.journal);
      const today = new Date().toISOString().slice(0, 10);
      const own: UsageBody = await json(ask(key, 'GET', '/usage'));
      expect(own).to.deep.include({ from: `${today.slice(0, 7)}-01`, to: today, of: 'key', covers: 'service' });
      expect(own.total).to.deep.equal({ lookups: 1, batchRows: 1 });
      expect(own.days.at(-1)).to.deep.equal({ day: today, lookups: 1, batchRows: 1 });
      expect(own.days).to.have.length(Number(today.slice(8)));
      expect(own.months).to.deep.equal([{ month: today.slice(0, 7), lookups: 1, batchRows: 1 }]);
      const earlier = new Date(Date.now() - 100 * 24 * HOUR_MS).toISOString().slice(0, 10);
      const all: UsageBody = await json(ask(key, 'GET', `/usage?from=${earlier}&to=${today}&of=customer`));
      expect(all.total).to.deep.equal({ lookups: 2, batchRows: 1 });
      expect(all.days[0]).to.deep.equal({ day: earlier, lookups: 0, batchRows: 0 });
      const csv = await fetch(`${front.url}/api/account/usage?from=${today}&to=${today}`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/csv; charset=utf-8; header=present' },
      });
      expect(csv.headers.get('content-type')).to.match(/^text\/csv/);
      expect(await csv.text()).to.equal(`month,day,lookups,batch_rows\r\n${today.slice(0, 7)},${today},1,1\r\n`);
    });

    onFileOnly('refuses days and periods that are none', async () => {
      const { key } = await paying();
      for (const query of [
        'from=2026-02-30',
        'to=today',
        'from=2026-02-02&to=2026-02-01',
        'of=all',
        'x=1',
        'from=1&from=2',
      ])
        expect((await refusal(ask(key, 'GET', `/usage?${query}`))).slice(0, 2), query).to.deep.equal([
          400,
          'BAD_REQUEST',
        ]);
      expect((await refusal(ask(key, 'GET', '/usage?from=2025-01-01&to=2026-06-01')))[2]).to.contain('400 days');
      expect((await refusal(ask(key, 'GET', '?x=1')))[0]).to.equal(400);
      expect((await refusal(ask('olk_x', 'GET')))[0]).to.equal(401);
    });

    onFileOnly('sets a budget that bites, within what the operator allows', async () => {
      const { key, record } = await paying({ limits: { budgetPerMonth: 5 } });
      expect(await refusal(ask(key, 'PATCH', '', { budgetPerMonth: 6 }))).to.deep.equal([
        ...[400, 'BAD_REQUEST', 'budgetPerMonth must be at most 5, which the operator allows this key'],
      ]);
      const { month }: AccountBody = await json(ask(key, 'PATCH', '', { budgetPerMonth: 2 }));
      expect(month).to.deep.include({ budgetPerMonth: 2, ownBudgetPerMonth: 2, left: 2 });
      const fresh = await startFrontEnd({ overrides: { keys: store } });
      try {
        const send = () => fresh.post(ASKED, { authorization: `Bearer ${key}` });
        expect([(await send()).status, (await send()).status]).to.deep.equal([200, 200]);
        const [status, code, detail] = await refusal(send());
        expect([status, code]).to.deep.equal([429, 'RATE_LIMITED']);
        expect(detail).to.contain('budget of 2 lookups').and.to.contain('PATCH /api/account');
      } finally {
        await fresh[Symbol.asyncDispose]();
      }
      const without: AccountBody = await json(ask(key, 'PATCH', '', { budgetPerMonth: null }));
      expect(without.month).to.deep.include({ budgetPerMonth: 5, ownBudgetPerMonth: null, left: 3 });
      const entries = (await store.audit()).filter(({ keyId, action }) => keyId === record.id && action === 'set');
      expect(entries.map(({ actor, detail }) => [actor, detail])).to.deep.equal([
        [`${record.id} over HTTP`, 'ownBudgetPerMonth=2'],
        [`${record.id} over HTTP`, 'ownBudgetPerMonth=null'],
      ]);
    });

    onFileOnly('sets networks, and lets nobody lock itself out', async () => {
      const { key } = await paying();
      const [status, , detail] = await refusal(
        ask(key, 'PATCH', '', { networks: ['203.0.113.0/24', '2001:db8::/32'] }),
      );
      expect(status).to.equal(400);
      expect(detail).to.contain('do not hold the address that asks, 127.0.0.1');
      expect((await refusal(ask(key, 'PATCH', '', { networks: ['127.0.0.0/8', 'home'] })))[2]).to.contain(
        '"home" is no network',
      );
      const set: AccountBody = await json(ask(key, 'PATCH', '', { networks: ['127.0.0.0/8', '203.0.113.7'] }));
      expect(set.networks).to.deep.equal(['127.0.0.0/8', '203.0.113.7/32']);
      const all: AccountBody = await json(ask(key, 'PATCH', '', { networks: [] }));
      expect(all.networks).to.deep.equal([]);
    });

    onFileOnly('refuses changes that are none', async () => {
      const { key } = await paying();
      for (const body of [
        {},
        { budgetPerMonth: 0 },
        { budgetPerMonth: 1.5 },
        { budgetPerMonth: '5' },
        { name: 'x' },
        [],
      ])
        expect((await refusal(ask(key, 'PATCH', '', body)))[0], JSON.stringify(body)).to.equal(400);
      expect((await refusal(ask(key, 'PATCH', '', { networks: Array(51).fill('127.0.0.1') })))[0]).to.equal(400);
      expect((await refusal(ask(key, 'PATCH')))[0]).to.equal(400);
      expect((await refusal(ask(key, 'POST', '/keys', { name: ' ' })))[2]).to.equal(
        'name must be printable characters',
      );
      expect((await refusal(ask(key, 'POST', '/keys/rotate', { overlapHours: 169 })))[0]).to.equal(400);
      for (const [method, path] of [
        ['POST', ''],
        ['DELETE', '/keys'],
        ['GET', '/keys/rotate'],
        ['GET', '/portal'],
      ] as const)
        expect((await refusal(ask(key, method, path)))[0], path).to.equal(405);
    });

    it('makes further keys of a paying customer, at most five in force', async () => {
      const { key, record } = await paying({ limitPerHour: 7, limits: { networks: ['127.0.0.0/8'] } });
      const made: NewKeyBody[] = [];
      for (let i = 0; i < 4; i++) made.push(await json(ask(key, 'POST', '/keys', { name: `key ${i}` }), 201));
      expect((await lookUp(made[0]!.key)).status).to.equal(200);
      const inner = await account(made[3]!.key);
      expect(inner).to.deep.include({ name: 'key 3', networks: ['127.0.0.0/8'] });
      expect([inner.limits.perHour, inner.keys.length]).to.deep.equal([7, 4]);
      expect(await refusal(ask(key, 'POST', '/keys'))).to.deep.equal([
        ...[409, 'CONFLICT', 'this customer has 5 keys, the most that may be in force: revoke one first'],
      ]);
      expect((await ask(key, 'DELETE', `/keys/${made[0]!.id}`)).status).to.equal(204);
      expect((await ask(key, 'DELETE', `/keys/${made[0]!.id}`)).status, 'again').to.equal(204);
      const several = await Promise.all(Array.from({ length: 4 }, () => ask(key, 'POST', '/keys')));
      expect(several.filter(({ status }) => status === 201).length).to.be.at.most(1);
      expect((await account(key)).keys.length).to.be.at.most(4);
      const audit = (await store.audit()).filter(({ actor }) => actor === `${record.id} over HTTP`);
      expect(audit.filter(({ action }) => action === 'create').length).to.be.at.least(4);
      expect(JSON.stringify(audit)).to.not.contain('olk_');
    });

    onFileOnly(
      'makes no key for a key without customer, with a budget of the operator, or of a suspended customer',
      async () => {
        const { key: plain } = await issueKey(store, { name: 'plain' });
        expect((await refusal(ask(plain, 'POST', '/keys'))).slice(0, 2)).to.deep.equal([403, 'FORBIDDEN']);
        expect(await account(plain)).to.deep.include({ isBilled: false, cost: null, keys: [] });
        const { key: bounded } = await paying({ limits: { budgetPerMonth: 5 } });
        expect((await refusal(ask(bounded, 'POST', '/keys'))).slice(0, 2)).to.deep.equal([403, 'FORBIDDEN']);
        const { key: unpaid, record } = await paying();
        await suspendCustomer(store, record.customer!, 'unpaid');
        expect((await refusal(ask(unpaid, 'POST', '/keys'))).slice(0, 2)).to.deep.equal([402, 'PAYMENT_REQUIRED']);
        expect((await lookUp(unpaid)).status).to.equal(402);
        expect((await account(unpaid)).isSuspended).to.equal(true);
        expect((await ask(unpaid, 'GET', '/usage')).status).to.equal(200);
      },
    );

    onFileOnly('revokes only other keys of the same customer', async () => {
      const { key, record } = await paying();
      const { record: foreign } = await paying();
      const notFound = [404, 'NOT_FOUND', 'this customer has no such key'];
      for (const id of [foreign.id, 'key_0123456789abcdef', 'x'])
        expect(await refusal(ask(key, 'DELETE', `/keys/${id}`)), id).to.deep.equal(notFound);
      expect((await store.findById(foreign.id))!.revokedAt).to.equal(null);
      expect((await refusal(ask(key, 'DELETE', `/keys/${record.id}`)))[0]).to.equal(409);
      const { key: plain, record: alone } = await issueKey(store, { name: 'plain' });
      const { record: alsoAlone } = await issueKey(store, { name: 'plain' });
      expect(await refusal(ask(plain, 'DELETE', `/keys/${alsoAlone.id}`))).to.deep.equal(notFound);
      expect(alone.customer).to.equal(alsoAlone.customer);
    });

    it('rotates with an overlap, in which the old key looks up but changes nothing', async () => {
      const { key, record } = await paying();
      const rotated: RotatedKeyBody = await json(ask(key, 'POST', '/keys/rotate', { overlapHours: 2 }));
      expect(rotated.id).to.equal(record.id);
      expect(Date.parse(rotated.previousEndsAt!) - Date.now()).to.be.within(2 * HOUR_MS - 900_000, 2 * HOUR_MS);
      const fresh = await startFrontEnd({ overrides: { keys: store } });
      try {
        const at = (secret: string, method: string, path: string): Promise<Response> =>
          fetch(`${fresh.url}/api/account${path}`, { method, headers: { authorization: `Bearer ${secret}` } });
        for (const secret of [key, rotated.key])
          expect((await fresh.post(ASKED, { authorization: `Bearer ${secret}` })).status).to.equal(200);
        const [status, , detail] = await refusal(at(key, 'POST', '/keys/rotate'));
        expect([status, detail]).to.deep.equal([
          ...[
            403,
            `this key was replaced and ends at ${rotated.previousEndsAt!}: changes need the one that replaced it`,
          ],
        ]);
        const { secrets }: AccountBody = await json(at(key, 'GET', ''));
        expect(secrets.map(({ endsAt, isThis }) => [endsAt, isThis])).to.deep.equal([
          [rotated.previousEndsAt, true],
          [null, false],
        ]);
        const last: RotatedKeyBody = await json(ask(rotated.key, 'POST', '/keys/rotate', { overlapHours: 0 }));
        expect(last.previousEndsAt).to.equal(null);
        expect((await store.findById(record.id))!.secrets).to.have.length(1);
      } finally {
        await fresh[Symbol.asyncDispose]();
      }
    });

    onFileOnly('keeps at most five secrets of a key', async () => {
      let { key } = await paying();
      for (let i = 0; i < 4; i++) ({ key } = await json<RotatedKeyBody>(ask(key, 'POST', '/keys/rotate')));
      expect((await refusal(ask(key, 'POST', '/keys/rotate')))[2]).to.contain('5 secrets in force');
      expect((await ask(key, 'POST', '/keys/rotate', { overlapHours: 0 })).status).to.equal(200);
    });

    onFileOnly('answers 503 while the store does not answer', async () => {
      const { key } = await paying();
      const down = () => Promise.reject(new Error('the store is down'));
      Object.assign(store, { listOf: down, update: down });
      for (const reply of [
        ask(key, 'GET'),
        ask(key, 'GET', '/usage?of=customer'),
        ask(key, 'PATCH', '', { networks: [] }),
      ])
        expect((await refusal(reply)).slice(0, 2)).to.deep.equal([503, 'DB_ERROR']);
    });

    onFileOnly('bounds requests and changes, which cost no lookups', async () => {
      const { key, record } = await paying();
      const { key: second } = await issueKey(store, { name: 'Other', customer: record.customer });
      const { quotas } = front.services;
      for (let i = 0; i < 50; i++) await quotas.of(changeLimit).spend(record.customer!, 50);
      const [status, , detail] = await refusal(ask(second, 'POST', '/keys'));
      expect([status, detail]).to.deep.equal([429, 'this key may change its account 50 times per day']);
      for (let i = 0; i < 600; i++)
        await quotas
          .of(requestLimit)
          .spend(record.id, 600)
          .catch(() => null);
      const refused = await ask(key, 'GET');
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).to.deep.equal([429, true]);
      expect((await lookUp(key)).status).to.equal(200);
    });

    onFileOnly('has no portal without a processor, nor for a key without customer', async () => {
      const { key } = await paying();
      expect(await refusal(ask(key, 'POST', '/portal'))).to.deep.equal([
        404,
        'NOT_FOUND',
        'this service has no payment processor',
      ]);
      const { key: plain, record } = await issueKey(store, { name: 'plain' });
      await setKey(store, record.id, { name: 'plainer' });
      expect((await refusal(ask(plain, 'POST', '/portal')))[0]).to.equal(404);
    });
  });
}
