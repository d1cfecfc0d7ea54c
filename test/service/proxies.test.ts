/** The sample configurations of the proxies, run by the real ones before two servers. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Response } from 'undici';
import { projectDir } from '../../src/project/project.ts';
import { setKey } from '../../src/core/keys/keys.ts';
import type { LookupTask } from '../../src/messages/lookup.ts';
import { problems, unavailable } from '../../src/messages/problems.ts';
import { workOnAll } from '../features/batches/machine-store.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { emptyManifest, okAnswer, startFrontEnd } from '../support/drivers/front-end.ts';
import { startProxy, type Proxy, type ProxyKind } from '../support/drivers/proxies.ts';
import { alertCases, asScraped } from './alert-cases.ts';
import { quietMonth } from './quiet-month.ts';
import { given } from '../support/drivers/given.ts';

const address = { address: '12 Main St W, Sampleton, ON' };

/** Lookups that each lets in before it refuses: under way at the servers and, with HAProxy, waiting for them. */
const ROOM: Readonly<Record<ProxyKind, number>> = { haproxy: 2 * 64 + 200, nginx: 256 };

/** Lookups beyond the room. */
const MORE = 50;

/** What it refused itself, once its log has at least so many lines of a status: these, and the figure that the alert looks at. */
async function refusedBy(
  kind: ProxyKind,
  proxy: Proxy,
  status: number,
  least: number,
): Promise<{ readonly logged: number; readonly counted: number }> {
  const mark = kind === 'haproxy' ? `status=${status} ` : `] ${status} `;
  const logged = (): number => proxy.logged().filter((line) => line.includes(mark)).length;
  // A line comes after its answer.
  while (logged() < least) await sleep(20);
  const counted = kind === 'haproxy' ? await countedByHaproxy(proxy, status) : countedByMtail(proxy, status);
  return { logged: logged(), counted };
}

/** Answers of the frontend less those of servers. */
async function countedByHaproxy(proxy: Proxy, status: number): Promise<number> {
  const text = await (await fetch(proxy.metricsUrl)).text();
  const code = `code="${String(status)[0]}xx"`;
  const sumOf = (name: string, proxyName: string): number =>
    [...text.matchAll(new RegExp(`^${name}\\{proxy="${proxyName}[^}]*${code}\\} (\\d+)`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  return (
    sumOf('haproxy_frontend_http_responses_total', 'land_lookup"') -
    sumOf('haproxy_server_http_responses_total', 'land_lookup')
  );
}

/** What mtail makes of the log. */
function countedByMtail(proxy: Proxy, status: number): number {
  using folder = temporaryFolder();
  const log = join(folder.path, 'refused.log');
  writeFileSync(
    log,
    proxy
      .logged()
      .map((line) => `${line}\n`)
      .join(''),
  );
  const program = join(projectDir, 'deploy', 'proxy', 'nginx.mtail');
  const args = ['--one_shot', '--one_shot_format', 'prometheus', '--progs', program, '--logs', log];
  const text = execFileSync(join(projectDir, '.nginx', 'usr', 'bin', 'mtail'), args, { encoding: 'utf8' });
  const found = new RegExp(`^nginx_refused_requests_total\\{[^}]*status="${status}"\\} (\\d+)`, 'm').exec(text);
  return Number(found?.[1] ?? 0);
}

/** Waits until HAProxy has seen that no process is ready. nginx asks none. */
async function seenNotReady(kind: ProxyKind, proxy: Proxy): Promise<void> {
  const none = 'haproxy_backend_active_servers{proxy="land_lookup"} 0\n';
  while (kind === 'haproxy' && !(await (await fetch(proxy.metricsUrl)).text()).includes(none)) await sleep(50);
}

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
      const count = statuses.length - answered;
      expect(await refusedBy(kind, proxy, 503, count)).to.deep.equal({ logged: count, counted: count });
    });

    given('page').it('lets a process say why none is ready, and answer what needs no lookup', async () => {
      const lookup = ({ kind: task }: LookupTask) =>
        task === 'address' ? Promise.reject(unavailable('NO_REGISTER', 'none')) : Promise.resolve(okAnswer);
      await using front = await startFrontEnd({ lookup, manifest: { ...emptyManifest, gazetteer: null } });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      await seenNotReady(kind, proxy);
      const headers = { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' };
      const refused = await proxy.fetch('/api/lookup', { method: 'POST', headers, body: JSON.stringify(address) });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '300']);
      expect(((await refused.json()) as { reason: string }).reason).to.equal('NO_REGISTER');
      const others = ['/docs', '/api/layers', '/', '/readyz'].map(async (path) => (await proxy.fetch(path)).status);
      expect(await Promise.all(others)).to.deep.equal([200, 200, 200, 503]);
      expect(await refusedBy(kind, proxy, 503, 0)).to.deep.include({ counted: 0 });
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
      await seenNotReady(kind, proxy);
      const refused = await proxy.fetch('/api/lookup?address=1%20Main', { method: 'POST' });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([
        503,
        kind === 'haproxy' ? '10' : '1',
      ]);
      expect(((await refused.json()) as { code: string }).code).to.equal('DB_ERROR');
      const { logged, counted } = await refusedBy(kind, proxy, 503, 1);
      expect(logged).to.equal(counted).and.above(0);
      expect(proxy.logged().join()).to.contain('/api/lookup').and.not.contain('Main');
    });

    given('batches').it('lets the files of batches through, in both directions', async () => {
      await using front = await startFrontEnd();
      await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 1_000_000 } });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const headers = { authorization: `Bearer ${front.key}`, 'content-type': 'text/csv' };
      const rows = 10_000;
      const init = {
        method: 'POST',
        headers,
        body: `address,note\n${`12 Main St W,${'x'.repeat(100)}\n`.repeat(rows)}`,
      };
      expect(init.body, 'more than the megabyte that nginx takes unless it is told another size').to.have.length.above(
        1 << 20,
      );
      const accepted = await proxy.fetch('/api/batches', init);
      expect(accepted.status).to.equal(202);
      const { id } = (await accepted.json()) as { id: string };
      await workOnAll(front.batches());
      const results = await proxy.fetch(`/api/batches/${id}/results`, { headers });
      expect((await results.text()).trimEnd().split('\n')).to.have.length(rows);
    });
  });
}

it('HAProxy gives every figure that the alerts ask it for', async () => {
  await using front = await startFrontEnd();
  await using proxy = await startProxy('haproxy', [front.url, front.url]);
  const text = await (await fetch(proxy.metricsUrl)).text();
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const alerts = readFileSync(join(projectDir, 'deploy', 'monitoring', 'alerts.yml'), 'utf8');
  const asked = new Set([...alerts.matchAll(/\bhaproxy_\w+/g)].map(([name]) => name));
  expect([...asked].filter((name) => !known.has(name))).to.deep.equal([]);
  expect(asked.size).to.be.above(2);
  const scraped = [...text.matchAll(/^\w+\{[^}]*\}/gm)].map(([series]) => asScraped(series));
  const cases = [...Object.values(alertCases).flatMap(({ raised, spared }) => [raised, spared]), quietMonth(1)];
  const given = cases.flatMap((series) => Object.keys(series)).filter((series) => series.startsWith('haproxy_'));
  for (const { name, labels } of given.map(asScraped)) {
    const isThere = scraped.some(
      (one) => one.name === name && [...labels].every(([label, value]) => one.labels.get(label) === value),
    );
    expect(isThere, `${name} ${[...labels].join(' ')}`).to.equal(true);
  }
});
