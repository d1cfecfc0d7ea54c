/** The compose file: what it names is there, its parts fit together, and the same processes with its settings answer as one service. No container is started. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { readConfig } from '../../src/config.ts';
import { ownSampleFolder, issueKeys, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { startProxy } from '../support/drivers/proxies.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { patientWithRedis, ServiceProcess } from '../support/drivers/service-process.ts';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly command?: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
}

interface Scrape {
  readonly job_name: string;
  readonly static_configs: readonly { readonly targets: readonly string[] }[];
}

/** The reader of YAML that Mocha has. */
const yaml = createRequire(import.meta.resolve('mocha'))('js-yaml') as { load(text: string): unknown };
const deploy = join(projectDir, 'deploy');
const read = (...path: string[]): string => readFileSync(join(deploy, ...path), 'utf8');

const compose = yaml.load(read('compose.yaml')) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
};
const { volumes } = compose;
const services = Object.fromEntries(
  Object.entries(compose.services).map(([name, service]) => [name, whole(service)]),
) as typeof compose.services;
const prometheus = yaml.load(read('monitoring', 'prometheus.yml')) as {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly Scrape[];
};
const processes = [services['a']!, services['b']!].map(({ environment = {}, ...others }) => ({
  ...others,
  environment: whole(environment),
}));
const haproxy = read('proxy', 'haproxy.cfg');

/** With what it takes over from elsewhere (`<<`), which this reader leaves where it stands. */
function whole<T extends object>(one: T): T {
  const { '<<': more = {}, ...own } = one as { readonly '<<'?: object };
  return { ...more, ...own } as T;
}

describe('The compose file', function () {
  this.timeout(240_000);

  it('mounts files that are there, and volumes that it has', () => {
    const mounts = Object.values(services).flatMap(({ volumes: of = [] }) => of.map((mount) => mount.split(':')[0]!));
    const files = mounts.filter((from) => from.startsWith('./') && from !== './tls.pem');
    expect(files).to.have.length(3);
    for (const file of files) expect(existsSync(join(deploy, file)), file).to.equal(true);
    expect(Object.keys(volumes)).to.have.members([...new Set(mounts.filter((from) => !from.startsWith('./')))]);
    const { context, dockerfile } = services['a']!.build!;
    expect(existsSync(join(deploy, context, dockerfile))).to.equal(true);
    expect(read('Containerfile')).to.contain('VOLUME /var/lib/land-lookup\n');
  });

  it('has processes where the proxy and Prometheus look for them, in one network', () => {
    for (const [name, { network_mode }] of Object.entries(services))
      expect(network_mode, name).to.equal(name === 'proxy' ? undefined : 'service:proxy');
    const at = (port: string): string[] =>
      processes.map(({ environment }) => `${environment['HOST']!}:${environment[port]!}`);
    const asked = [...haproxy.matchAll(/^ {2}server \w+ (\S+)/gm)].map(([, address]) => address);
    expect(new Set(asked)).to.deep.equal(new Set(at('PORT')));
    const bound = [...haproxy.matchAll(/^ {2}bind (\S+)/gm)].map(([, address]) => address!);
    const published = services['proxy']!.ports!.map((port) => port.split(':').at(-1)!);
    expect(published).to.include.members(
      bound.flatMap((address) => (address.startsWith(':') ? [address.slice(1)] : [])),
    );
    const targets = new Map(
      prometheus.scrape_configs.map((job) => [job.job_name, job.static_configs.flatMap((one) => one.targets)]),
    );
    expect(targets.get('land-lookup')).to.deep.equal(at('ADMIN_PORT'));
    expect(bound).to.include.members([...targets.get('haproxy')!]);
  });

  it('scrapes every job that a rule looks for, and reads the rules where they are mounted', () => {
    const jobs = prometheus.scrape_configs.map((job) => job.job_name);
    const named = [...read('monitoring', 'alerts.yml').matchAll(/(?<!exported_)job="([^"]+)"/g)].map(([, job]) => job!);
    expect(named).to.include('land-lookup');
    expect(jobs).to.include.members(named);
    for (const rules of prometheus.rule_files)
      expect(services['prometheus']!.volumes!.join(' ')).to.contain(`/etc/prometheus/${rules}:ro`);
  });

  it('gives settings that the program takes, with a Redis that keeps the keys', () => {
    for (const { environment } of processes) {
      const config = readConfig({ DATA_DIR: '/var/lib/land-lookup', ...environment });
      expect([config.host, config.trustProxyHops]).to.deep.equal(['127.0.0.1', 1]);
      expect(config.redisUrl).to.equal('redis://127.0.0.1:6379');
    }
    expect(services['redis']!.command!.join(' ')).to.contain('--appendonly yes');
  });

  it('makes one service of its processes: lookups pass the proxy, and limits are shared', async () => {
    expect(services['proxy']!.volumes![0]).to.match(/^\.\/proxy\/haproxy\.cfg:/);
    using folder = ownSampleFolder();
    await using redis = await RedisServer.start(...services['redis']!.command!.slice(3));
    const place = { dataDir: folder.path, redisUrl: redis.url };
    const [key] = (await issueKeys(place, { count: 1, limitPerHour: 4 })) as [string];
    const settingsOf = ({ environment }: Service) => ({
      ...{ ...environment, PORT: '0', ADMIN_PORT: '0', REDIS_URL: redis.url },
    });
    await using a = await ServiceProcess.start(folder.path, settingsOf(processes[0]!), patientWithRedis);
    // The other process is that of the test.
    await using b = await ServiceHere.start(folder.path, settingsOf(processes[1]!), PATIENT_REDIS);
    await using proxy = await startProxy('haproxy', [a.url, b.url]);
    const lookup = async (): Promise<number> => {
      const response = await proxy.fetch('/api/lookup', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify(SAMPLE_ADDRESS),
      });
      await response.text();
      return response.status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push(await lookup());
    expect(statuses).to.deep.equal([200, 200, 200, 200, 429, 429]);
    expect((await a.lookup(key, SAMPLE_ADDRESS)).status).to.equal(429);
    expect((await b.lookup(key, SAMPLE_ADDRESS)).status).to.equal(429);
  });
});
