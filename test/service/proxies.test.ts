/** The sample configurations of the proxies, run by the real ones before two servers. */
import { expect } from 'chai';
import type { Response } from 'undici';
import { setKey } from '../../src/accounts/keys/keys.ts';
import type { LookupTask } from '../../src/shared/contract/lookup.ts';
import { problems } from '../../src/shared/problems.ts';
import { workOnAll } from '../batches/machine-store.ts';
import { okAnswer, startFrontEnd } from '../support/drivers/front-end.ts';
import { startProxy, type Proxy, type ProxyKind } from '../support/drivers/proxies.ts';

const address = { address: '12 Main St W, Sampleton, ON' };

/** Lookups that each lets in before it refuses: under way at the servers and, with HAProxy, waiting for them. */
const ROOM: Readonly<Record<ProxyKind, number>> = { haproxy: 2 * 64 + 200, nginx: 256 };

/** Lookups beyond the room. */
const MORE = 50;

/** A proxy whose servers have gone. */
async function startBeforeNone(kind: ProxyKind): Promise<Proxy> {
  await using front = await startFrontEnd();
  return await startProxy(kind, [front.url, front.url]);
}

for (const kind of ['haproxy', 'nginx'] as const) {
  describe(`The sample configuration of ${kind}`, function () {
    this.timeout(240_000);

    it('refuses at once what is too many, as the service does, and loses nothing of the rest', async () => {
      let release = (): void => undefined;
      const hold = new Promise<void>((resolve) => {
        release = resolve;
      });
      const lookup = async ({ kind: task }: LookupTask) => {
        if (task === 'address') await hold;
        return okAnswer;
      };
      // Nobody gives up before all have come, however busy the machine is.
      await using front = await startFrontEnd({ lookup, lookupDeadlineMs: 600_000 });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      // From so many addresses that none reaches its own limit.
      const post = (_: unknown, number: number) => {
        const headers = { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: JSON.stringify(address) };
        return proxy.fetch('/api/lookup', init, `127.0.1.${number % 20}`);
      };
      const answers = Array.from({ length: ROOM[kind] + MORE }, post);
      const refusals: Response[] = [];
      await new Promise<void>((resolve, reject) => {
        for (const answer of answers)
          answer.then((response) => {
            if (refusals.push(response) === MORE) resolve();
          }, reject);
      });
      const refused = refusals[0]!;
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(refused.headers.get('content-type')).to.equal('application/problem+json');
      const { instance, ...problem } = (await refused.json()) as { readonly instance: string };
      expect(instance).to.match(/^urn:land-lookup:request:[\da-f-]{32,36}$/);
      expect(problem).to.deep.equal({
        type: '/docs/errors#DB_ERROR',
        title: problems.DB_ERROR.title,
        status: 503,
        code: 'DB_ERROR',
        reason: 'OVERLOADED',
      });
      release();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      const answered = statuses.filter((status) => status === 200).length;
      expect(new Set(statuses)).to.deep.equal(new Set([200, 503]));
      // On a slow machine HAProxy gives up on some that wait for over a second.
      expect(answered).to.be.within(ROOM[kind] - (kind === 'haproxy' ? 200 : 0), ROOM[kind]);
    });

    it('passes on what a server says, also its own refusals', async () => {
      await using front = await startFrontEnd({ maxPending: 1, pending: () => 1 });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const refused = await proxy.fetch('/api/lookup', {
        method: 'POST',
        headers: { authorization: `Bearer ${front.key}`, 'x-request-id': 'through-a-proxy' },
      });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(((await refused.json()) as { instance: string }).instance).to.match(/through-a-proxy$/);
    });

    it('says 503 as the service does when there is no process', async () => {
      await using proxy = await startBeforeNone(kind);
      const refused = await proxy.fetch('/api/lookup', { method: 'POST' });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(((await refused.json()) as { code: string }).code).to.equal('DB_ERROR');
    });

    it('lets the files of batches through, in both directions', async () => {
      await using front = await startFrontEnd();
      await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 1_000_000 } });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const headers = { authorization: `Bearer ${front.key}`, 'content-type': 'text/csv' };
      const rows = 150_000;
      const init = { method: 'POST', headers, body: `address\n${'12 Main St W\n'.repeat(rows)}` };
      const accepted = await proxy.fetch('/api/batches', init);
      expect(accepted.status).to.equal(202);
      const { id } = (await accepted.json()) as { id: string };
      await workOnAll(front.batches);
      const results = await proxy.fetch(`/api/batches/${id}/results`, { headers });
      expect((await results.text()).trimEnd().split('\n')).to.have.length(rows);
    });
  });
}
