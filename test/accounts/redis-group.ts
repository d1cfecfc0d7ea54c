/** Several real Redis processes of one test, on free ports of the loopback: TLS, a sentinel with its master and replica, a cluster. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { freePort } from '../support/drivers/free-port.ts';
import { until } from '../support/drivers/patience.ts';

const TRY_MS = 100;

export interface RedisNode {
  readonly port: number;
  readonly process: ChildProcess;
}

export class RedisGroup implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #nodes: RedisNode[] = [];

  get dir(): string {
    return this.#folder.path;
  }

  /** A server that answers already. `args` follow those for its port; without `--port` in them. */
  async start(...args: string[]): Promise<RedisNode> {
    const port = await nodePort();
    const node = this.#spawn(port, ['--port', String(port), '--save', '', ...args]);
    await this.#untilAnswers([], port);
    return node;
  }

  /** A server that speaks TLS alone, for `localhost`, with a certificate of its own authority: `ca.crt` in `dir`. */
  async startTls(): Promise<RedisNode> {
    const { dir } = this;
    const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
      '-subj',
      '/CN=test authority',
      '-days',
      '2',
    );
    openssl('req', ...newKey, '-keyout', 'redis.key', '-out', 'redis.csr', '-subj', '/CN=localhost');
    writeFileSync(join(dir, 'names'), 'subjectAltName=DNS:localhost\n');
    const sign = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    openssl('x509', '-req', '-in', 'redis.csr', ...sign, '-out', 'redis.crt');
    const port = await nodePort();
    const files = ['--tls-cert-file', 'redis.crt', '--tls-key-file', 'redis.key', '--tls-ca-cert-file', 'ca.crt'];
    const paths = files.map((part) => (part.startsWith('--') ? part : join(dir, part)));
    const tls = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', '--save', ''];
    const node = this.#spawn(port, [...tls, ...paths]);
    await this.#untilAnswers(this.tls, port);
    return node;
  }

  /** Options of `redis-cli` for the server that speaks TLS. */
  get tls(): readonly string[] {
    return ['-h', 'localhost', '--tls', '--cacert', join(this.dir, 'ca.crt')];
  }

  /** Watches a master by the name `mymaster`, alone, and puts its replica in its place after a second of silence. */
  async startSentinel(master: RedisNode): Promise<RedisNode> {
    const port = await nodePort();
    const file = join(this.dir, 'sentinel.conf');
    const lines = [
      `port ${port}`,
      `sentinel monitor mymaster 127.0.0.1 ${master.port} 1`,
      'sentinel down-after-milliseconds mymaster 1000',
      'sentinel failover-timeout mymaster 5000',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    const node = this.#spawn(port, [file, '--sentinel']);
    await this.until(() => this.cli(port, 'sentinel', 'master', 'mymaster').includes('num-slaves\n1'));
    return node;
  }

  /** Three masters that share the slots. None takes another for lost because the machine is slow. */
  async startCluster(): Promise<RedisNode[]> {
    const own = [
      '--cluster-enabled',
      'yes',
      '--cluster-node-timeout',
      '60000',
      '--cluster-require-full-coverage',
      'no',
    ];
    const nodes: RedisNode[] = [];
    for (let i = 0; i < 3; i++) {
      // Otherwise it takes 10,000 more than its other port, which another program may have.
      const busPort = String(await freePort());
      nodes.push(await this.start(...own, '--cluster-port', busPort, '--cluster-config-file', `nodes-${i}.conf`));
    }
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
    execFileSync('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-yes'], { stdio: 'pipe' });
    await this.until(() => nodes.every(({ port }) => this.cli(port, 'cluster', 'info').includes('cluster_state:ok')));
    return nodes;
  }

  cli(port: number, ...args: string[]): string {
    return execFileSync('redis-cli', ['-p', String(port), ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: 300_000,
    });
  }

  /** False also while it changes its role, when it closes connections. */
  isMaster({ port }: RedisNode): boolean {
    try {
      return this.cli(port, 'role').startsWith('master');
    } catch {
      return false;
    }
  }

  /** Waits until it is so. A server that does not answer yet is asked again. */
  async until(isSo: () => boolean): Promise<void> {
    const isSoNow = (): boolean => {
      try {
        return isSo();
      } catch {
        return false;
      }
    };
    await until(isSoNow, TRY_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process: child } of this.#nodes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
    }
    this.#folder[Symbol.dispose]();
  }

  #spawn(port: number, args: readonly string[]): RedisNode {
    const cwd = join(this.dir, String(port));
    mkdirSync(cwd);
    const node = { port, process: spawn('redis-server', args, { stdio: 'ignore', cwd }) };
    this.#nodes.push(node);
    return node;
  }

  async #untilAnswers(options: readonly string[], port: number): Promise<void> {
    await this.until(() => this.cli(port, ...options, 'ping').includes('PONG'));
  }
}

/** A cluster's nodes also use the port 10,000 above. */
async function nodePort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port < 55_000) return port;
  }
}
