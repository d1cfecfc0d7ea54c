/** The sample configurations of `deploy/proxy/`, run by the real programs on free ports before servers of a test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectDir } from '../../src/config.ts';
import { temporaryFolder } from './folder.ts';

export interface Proxy extends AsyncDisposable {
  readonly url: string;
}

/** Where `deploy/install-packages` unpacks it on a machine that has none. */
const UNPACKED_NGINX = join(projectDir, '.nginx', 'usr', 'sbin', 'nginx');

/** Relative to the folder of the run: the folders that the package would have made are not there. */
const nginxFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);

const kinds = {
  haproxy: {
    program: '/usr/sbin/haproxy',
    sample: 'haproxy.cfg',
    /** Descriptors for the connections of a load; by default it takes all that there are. */
    complete: (sample: string) => `global\n  maxconn 5000\n${sample}`,
    bind: 'bind :80',
    bound: (port: number) => `bind 127.0.0.1:${port}`,
    args: (file: string) => ['-db', '-f', file],
  },
  nginx: {
    program: existsSync(UNPACKED_NGINX) ? UNPACKED_NGINX : '/usr/sbin/nginx',
    sample: 'nginx.conf',
    complete: (sample: string) =>
      `daemon off; pid nginx.pid; error_log stderr; events { worker_connections 4096; } http { access_log off; ${nginxFolders.join(' ')} ${sample} }`,
    bind: 'listen 80;',
    bound: (port: number) => `listen 127.0.0.1:${port};`,
    args: (file: string, dir: string) => ['-p', dir, '-e', 'stderr', '-c', file],
  },
} as const;

export type ProxyKind = keyof typeof kinds;

/** @param urls of the two servers that the samples name `a` and `b`. @throws Error with what it printed when it does not start. */
export async function startProxy(kind: ProxyKind, urls: readonly [string, string]): Promise<Proxy> {
  const { program, sample, complete, bind, bound, args } = kinds[kind];
  if (!existsSync(program)) throw new Error(`${kind} is not there: deploy/install-packages test`);
  const folder = temporaryFolder();
  const port = await freePort();
  const text = readFileSync(join(projectDir, 'deploy', 'proxy', sample), 'utf8')
    .replace(bind, bound(port))
    .replace('127.0.0.1:8081', new URL(urls[0]).host)
    .replace('127.0.0.1:8082', new URL(urls[1]).host);
  const file = join(folder.path, sample);
  writeFileSync(file, complete(text));
  const child = spawn(program, args(file, folder.path), { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; !(await isReady(url)); attempt++) {
    if (child.exitCode !== null || attempt === 100) throw new Error(`${kind} does not start: ${printed}`);
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

/** Whether it gets through to a server. */
async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`).catch(() => null))?.status === 200;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
