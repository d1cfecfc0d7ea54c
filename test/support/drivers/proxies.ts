/** The sample configurations of `deploy/proxy/`, run by the real programs on free ports before servers of a test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { projectDir } from '../../../src/project/project.ts';
import { makeCertificate } from '../doubles/certificate.ts';
import { temporaryFolder } from './folder.ts';
import { freePort } from './free-port.ts';

export interface Proxy extends AsyncDisposable {
  /** With TLS. */
  readonly url: string;
  /** Without TLS: it redirects. */
  readonly plainUrl: string;
  /** The certificate to trust. */
  readonly ca: string;
  readonly pid: number;
  /** What Prometheus reads of HAProxy. */
  readonly metricsUrl: string;
  /** The lines of its log. */
  logged(): string[];
  /** Asks for a path, from a loopback address of the client. */
  fetch(path: string, init?: RequestInit, localAddress?: string): Promise<Response>;
}

export interface ProxyOptions {
  /** Time limits for clients, in place of the sample's; so long, unless a test says otherwise, that no slow machine makes anybody late. */
  readonly clientSeconds?: number;
  /** Leaves all time limits as they are in the sample: for what measures times. */
  readonly keepsTimes?: boolean;
  /** Runs it beside what Debian's package has put into place, where an operator who copies the sample leaves that there. */
  readonly besideDebians?: boolean;
  /** As the samples say that it is done for several machines, with the lines that are of one machine alone taken out. */
  readonly hasMachines?: boolean;
  /** Marks of the machines `a` and `b`, where their batches are sent by them; HAProxy alone. */
  readonly marks?: Readonly<Record<'a' | 'b', string>>;
  /** Port with TLS, for servers that know their address for browsers; otherwise a free one. */
  readonly port?: number;
}

const DEBIAN_HAPROXY = '/etc/haproxy/haproxy.cfg';

/** Where `deploy/install-packages` unpacks it on a machine that has none. */
const UNPACKED_NGINX = join(projectDir, '.nginx', 'usr', 'sbin', 'nginx');

/** What nginx of Debian serves on port 80 unless somebody removes it (`sites-enabled/default`). */
const debianSite = (plainPort: number): string =>
  `server { listen 127.0.0.1:${plainPort} default_server; server_name _; location / { return 200 "Welcome to nginx!"; } }`;

const isRoot = process.getuid?.() === 0;

/** Relative to the folder of the run: the folders that the package would have made are not there. */
const nginxFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);

/** Started by root it would change to a user that cannot write into the folder of the run. */
const nginxUser = isRoot ? 'user root;' : '';

const kinds = {
  haproxy: {
    program: '/usr/sbin/haproxy',
    sample: 'haproxy.cfg',
    /** Only root can take another user. */
    complete: (sample: string) => (isRoot ? sample : sample.replaceAll(/^ {2}(user|group|chroot) .*\n/gm, '')),
    bind: (port: number) => `bind 127.0.0.1:${port}`,
    binds: ['bind :80', 'bind :443'],
    certificate: '/etc/land-lookup/tls.pem',
    clientTimes: /(timeout (?:client|http-request)|wait-for-body time) \d+s/g,
    serverTimes: /(timeout (?:connect|server|queue|check)) \d+s/g,
    /** Debian's own configuration is replaced by the sample; where somebody reads both, the sample comes later. */
    args: (file: string, _dir: string, besideDebians: boolean) => [
      '-db',
      ...(besideDebians && existsSync(DEBIAN_HAPROXY) ? ['-f', DEBIAN_HAPROXY] : []),
      ...['-f', file],
    ],
  },
  nginx: {
    program: existsSync(UNPACKED_NGINX) ? UNPACKED_NGINX : '/usr/sbin/nginx',
    sample: 'nginx.conf',
    complete: (sample: string, besideDebians: string) =>
      `daemon off; ${nginxUser} pid nginx.pid; error_log stderr crit; worker_rlimit_nofile 16384; events { worker_connections 8192; } http { access_log off; ${nginxFolders.join(' ')} ${sample} ${besideDebians} }`,
    bind: (port: number) => `listen 127.0.0.1:${port}`,
    binds: ['listen 80', 'listen 443'],
    certificate: '/etc/land-lookup/tls.pem',
    clientTimes: /((?:client_header_timeout|client_body_timeout|send_timeout)) \d+s/g,
    serverTimes: /(proxy_(?:connect|read)_timeout) \d+s/g,
    args: (file: string, dir: string) => ['-p', dir, '-e', 'stderr', '-c', file],
  },
} as const;

export type ProxyKind = keyof typeof kinds;

const PATIENT_S = 600;

/** As the samples name them. */
const METRICS_ADDRESS = '127.0.0.1:8404';
const REFUSED_LOG = 'land-lookup-refused.log';

/** @param urls of the servers: the samples name two, `a` and `b`; more get lines as `b` has. @throws Error with what it printed when it does not start. */
export async function startProxy(
  kind: ProxyKind,
  urls: readonly [string, string, ...string[]],
  options: ProxyOptions = {},
): Promise<Proxy> {
  const { program, sample, complete, bind, binds, certificate, args } = kinds[kind];
  const { port: wantedPort, besideDebians = false } = options;
  if (!existsSync(program)) throw new Error(`${kind} is not there: deploy/install-packages test`);
  const folder = temporaryFolder();
  const [plainPort, metricsPort, port] = [await freePort(), await freePort(), wantedPort ?? (await freePort())];
  const { file: certificateFile, ca } = makeCertificate(folder.path);
  const given = readFileSync(join(projectDir, 'deploy', 'proxy', sample), 'utf8');
  const text = withTimes(kind, forMachines(given, options), options)
    .replace(binds[0], bind(plainPort))
    .replace(binds[1], bind(port))
    .replace(METRICS_ADDRESS, `127.0.0.1:${metricsPort}`)
    .replace(`/var/log/nginx/${REFUSED_LOG}`, REFUSED_LOG)
    .replaceAll(certificate, certificateFile);
  const file = join(folder.path, sample);
  writeFileSync(file, complete(withServers(text, urls), besideDebians ? debianSite(plainPort) : ''));
  // As on machines that permit no more descriptors.
  const limited = ['-c', 'ulimit -n 20000 2> /dev/null; exec "$@"', '-', program];
  const child = spawn('bash', [...limited, ...args(file, folder.path, besideDebians)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const logged = kind === 'haproxy' ? () => printed : () => readFileSync(join(folder.path, REFUSED_LOG), 'utf8');
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const agents = new Agents(ca);
  const url = `https://127.0.0.1:${port}`;
  const ask: Proxy['fetch'] = (path, init, localAddress) =>
    fetch(url + path, { ...init, dispatcher: agents.from(localAddress) });
  while (!(await isReady(ask))) {
    if (child.exitCode !== null) throw new Error(`${kind} does not start: ${printed}`);
    await sleep(50);
  }
  return {
    ...{ url, ca, pid: child.pid!, plainUrl: `http://127.0.0.1:${plainPort}`, fetch: ask },
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    logged: () => logged().split('\n').slice(0, -1),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await agents.close();
      await ended;
      folder[Symbol.dispose]();
    },
  };
}

/** nginx that offers the files of a folder below `/files`. */
export async function serveFiles(root: string): Promise<AsyncDisposable & { readonly url: string }> {
  const { program, args, complete } = kinds.nginx;
  const folder = temporaryFolder();
  const port = await freePort();
  const file = join(folder.path, 'files.conf');
  writeFileSync(file, complete(`server { listen 127.0.0.1:${port}; location /files/ { alias ${root}/; } }`, ''));
  const child = spawn(program, args(file, folder.path), { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => null))) {
    if (child.exitCode !== null) throw new Error('nginx does not start');
    await sleep(50);
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      folder[Symbol.dispose]();
    },
  };
}

/** What the heads of the samples, and the comment on marks, tell an operator to do. */
function forMachines(text: string, { hasMachines = false, marks }: ProxyOptions): string {
  if (!hasMachines) return text;
  const lines = text.replaceAll(/^#many /gm, '').replaceAll(/^.* #one\n/gm, '');
  return lines.replace(/^ *#(use-server) a (.*)MARK_OF_A(.*)$/m, (line, use: string, before: string, after: string) =>
    marks === undefined
      ? line
      : Object.entries(marks)
          .map(([name, mark]) => `  ${use} ${name} ${before}${mark}${after}`)
          .join('\n'),
  );
}

/** Gives the time limits of a sample other lengths. */
function withTimes(
  kind: ProxyKind,
  text: string,
  { clientSeconds = PATIENT_S, keepsTimes = false }: ProxyOptions,
): string {
  if (keepsTimes) return text;
  const { clientTimes, serverTimes } = kinds[kind];
  return text.replaceAll(clientTimes, `$1 ${clientSeconds}s`).replaceAll(serverTimes, `$1 ${PATIENT_S}s`);
}

/** Puts the servers into a sample. */
function withServers(text: string, [a, ...others]: readonly [string, string, ...string[]]): string {
  return text
    .replaceAll('127.0.0.1:8081', new URL(a).host)
    .replace(/^.*127\.0\.0\.1:8082.*\n/gm, (line) =>
      others
        .map((url, i) => line.replace('127.0.0.1:8082', new URL(url).host).replaceAll(/\bb\b/g, NAMES[i]!))
        .join(''),
    );
}

/** Of the servers after `a`. */
const NAMES = 'bcdefgh';

/** On a busy machine, hundreds that begin at once take a while. */
const CONNECT_MS = 600_000;

/** Keeps connections for each address of a client. */
class Agents {
  readonly #byAddress = new Map<string, Agent>();
  readonly #ca: string;

  constructor(ca: string) {
    this.#ca = ca;
  }

  from(localAddress = '127.0.0.1'): Agent {
    const agent =
      this.#byAddress.get(localAddress) ?? new Agent({ connect: { ca: this.#ca, timeout: CONNECT_MS }, localAddress });
    this.#byAddress.set(localAddress, agent);
    return agent;
  }

  async close(): Promise<void> {
    for (const agent of this.#byAddress.values()) await agent.destroy();
  }
}

/** Whether it gets through to a server, which need not be ready for lookups. */
async function isReady(ask: Proxy['fetch']): Promise<boolean> {
  return (await ask('/healthz').catch(() => null))?.status === 200;
}
