/** What Prometheus reads on the admin port, and what the dashboard and the alerts make of it. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownNames } from '../../src/core/admin/admin-server.ts';
import { projectDir } from '../../src/project/project.ts';
import { beginJob } from '../../src/core/snapshots/jobs.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { writeKept, type KeptSource } from '../../src/features/sources/kept-checks.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { serveSample, writeManifest } from '../support/material/snapshot-copies.ts';
import { alertCases, asScraped, furtherCases } from './alert-cases.ts';
import { quietMonth } from './quiet-month.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { given } from '../support/drivers/given.ts';

const now = (): string => new Date().toISOString();
const gone = (at: string): KeptSource => ({
  ...{ dataSet: 'greenbelt', source: 'a', finding: 'gone', reason: 'the server answered 404', since: at, seenAt: at },
  ...{ before: null, base: null },
});

given('batches', 'geocoders', 'webhooks', 'signup', 'sources').describe('Metrics', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let stripe: StripeServer;
  let service: ServiceHere;
  let snapshot: string;
  let text: string;
  let key: string;

  async function until(line: string): Promise<void> {
    while (!(await service.metrics()).includes(line)) await sleep(50);
  }

  before(async () => {
    snapshot = serveSample(folder.path, 1);
    const { manifest } = requireCurrentSnapshot(folder.path);
    const refreshFailed = { since: new Date(Date.now() - 3_600_000).toISOString(), reason: 'the source is truncated' };
    const greenbelt = { ...manifest.dataSets['greenbelt']!, refreshFailed };
    writeManifest(folder.path, { ...manifest, dataSets: { ...manifest.dataSets, greenbelt } });
    beginJob(folder.path, 'backup').succeeded();
    writeKept(folder.path, { checkedAt: now(), sources: { greenbelt: gone(now()) } });
    stripe = await StripeServer.start();
    key = await newKey(folder.path, { customer: 'cus_1' });
    service = await ServiceHere.start(folder.path, stripe.signupEnv);
    for (const address of ['12 Main St W, Sampleton, ON', '12 Nowhere Rd, Sampleton, ON', '']) {
      await service.lookup(key, { address });
    }
    await service.lookup(null, {});
    text = await service.metrics();
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await stripe[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('count requests by route, status and code', () => {
    for (const [status, code] of [
      [200, 'OK'],
      [404, 'ADDRESS_NOT_FOUND'],
      [400, 'BAD_REQUEST'],
      [401, 'UNAUTHORIZED'],
    ] as const) {
      expect(text).to.contain(`land_lookup_requests_total{route="/api/lookup",status="${status}",code="${code}"} 1`);
    }
  });

  it('time every stage of a lookup', () => {
    const counts = { auth: 3, quota: 2, queue: 1, geocode: 1, layers: 1, journal: 1 };
    for (const [stage, count] of Object.entries(counts)) {
      expect(text).to.contain(`land_lookup_stage_seconds_count{stage="${stage}"} ${count}\n`);
    }
  });

  it('tell the snapshot, the pool, who counts the limits, the journal and the billing', () => {
    expect(text).to.contain(`land_lookup_snapshot_info{id="${snapshot}",sample="true"} 1\n`);
    expect(text).to.match(/land_lookup_data_age_seconds\{data_set="greenbelt"\} \d/);
    const failed = [...text.matchAll(/land_lookup_refresh_failed_seconds\{data_set="(\w+)"\} (\d+)/g)];
    expect(failed.map(([, dataSet]) => dataSet)).to.deep.equal(['greenbelt']);
    expect(Number(failed[0]![2])).to.be.at.least(3600);
    expect(text).to.contain('land_lookup_pool_threads 1\n');
    expect(text).to.contain('land_lookup_limiter_mode{mode="process"} 1\n');
    expect(text).to.match(/land_lookup_billing_lag_seconds \d/);
    for (const state of ['rejected', 'uncertain', 'too_old']) {
      expect(text).to.contain(`land_lookup_billing_unsettled{state="${state}"} 0\n`);
    }
    expect(text).to.contain('land_lookup_billing_meter_missing 0\n');
    expect(text).to.contain('land_lookup_clock_trusted 1\n');
  });

  it('tell what the payment processor refused, and that it has no meter', async () => {
    // The lookup from before this test is taken.
    await until('land_lookup_billing_pending 0\n');
    stripe.unknownCustomers.add('cus_1');
    const one = (): Promise<Response> => service.lookup(key, { address: '12 Main St W, Sampleton, ON' });
    await one();
    await until('land_lookup_billing_unsettled{state="rejected"} 1\n');
    stripe.meters = [];
    await one();
    await until('land_lookup_billing_meter_missing 1\n');
    expect(await service.metrics()).to.contain('land_lookup_billing_pending 1\n');
  });

  it('are served at /metrics alone, and not on the public port', async () => {
    expect((await fetch(`${service.url}/metrics`)).status).to.equal(404);
    expect((await fetch(service.adminUrl)).status).to.equal(404);
  });

  it('are given to addresses and to the names of the machine alone', async () => {
    const { hostname: ip, port } = new URL(service.adminUrl);
    const statusOf = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        get({ host: ip, port, path: '/metrics', headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode!);
        }).on('error', reject);
      });
    const own = ['localhost', `LOCALHOST:${port}`, `127.0.0.1:${port}`, '[::1]', '10.0.0.5:18081', hostname()];
    for (const host of own) expect(await statusOf(host), host).to.equal(200);
    const foreign = ['rebound.example', `localhost.example:${port}`, `x${hostname()}`, '127.0.0.1.example'];
    // Somebody else's domain behind a name that is easily guessed.
    foreign.push(`${hostname()}.rebound.example`);
    for (const host of foreign) expect(await statusOf(host), host).to.equal(421);
  });

  it('are given to the name of the machine with a domain where the system knows that', () => {
    using folder = temporaryFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const files = {
      hosts: file('hosts', '127.0.0.1 localhost\n10.0.0.5 Box.inner.example box other # box.comment.example\n'),
      resolver: file('resolv.conf', 'nameserver 10.0.0.1\nsearch One.example two.example.\n# search three.example\n'),
    };
    expect([...ownNames('Admin.example', { ...files, own: 'box' })]).to.have.members([
      ...['localhost', 'admin.example', 'box', 'box.one.example', 'box.two.example', 'box.inner.example'],
    ]);
    const missing = { hosts: join(folder.path, 'none'), resolver: join(folder.path, 'none') };
    expect([...ownNames('10.0.0.5', { ...missing, own: 'box' })]).to.have.members(['localhost', '10.0.0.5', 'box']);
  });

  it('are given over connections that are kept from one scrape to the next', async () => {
    const { headers } = await fetch(`${service.adminUrl}/metrics`);
    expect(headers.get('keep-alive')).to.equal('timeout=65');
  });

  it('have every series that the dashboard and the alert rules ask for', () => {
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
    for (const file of ['grafana-dashboard.json', 'alerts.yml']) {
      const asked = readFileSync(join(projectDir, 'deploy', 'monitoring', file), 'utf8').matchAll(
        /\b(?:land_lookup|nodejs|process)_[a-z0-9_]+/g,
      );
      const names = [...asked].map(([name]) => name);
      expect(names.length, file).to.be.above(5);
      for (const name of names) expect(known, file).to.include(name.replace(/_(bucket|count|sum)$/, ''));
    }
  });

  const known = ({ labels }: ReturnType<typeof asScraped>, label: string, value: string): boolean =>
    label === 'job' ? labels.has(label) : labels.get(label) === value;

  it('have the series and the labels that the tests of the alerts give to them', () => {
    const scraped = [...text.matchAll(/^\w+(?:\{[^}]*\})?(?= )/gm)].map(([series]) => asScraped(series));
    const cases = Object.values(alertCases).flatMap(({ raised, spared }) => [raised, spared]);
    const given = [...cases, ...furtherCases.map(([, , series]) => series), quietMonth(1)].flatMap((series) =>
      Object.keys(series),
    );
    // Some values, such as codes of failures, are not there in a service that is well.
    const isFixed = (label: string): boolean => ['mode', 'state', 'outcome', 'stage', 'job'].includes(label);
    const own = given.map(asScraped).filter(({ name }) => /^(land_lookup|process|nodejs)_/.test(name));
    expect(own.length).to.be.above(100);
    for (const { name, labels } of own) {
      const isThere = scraped.some(
        (one) =>
          one.name === name &&
          [...labels].every(([label, value]) => (isFixed(label) ? known(one, label, value) : one.labels.has(label))),
      );
      expect(isThere, `${name} ${[...labels].join(' ')}`).to.equal(true);
    }
  });
});
