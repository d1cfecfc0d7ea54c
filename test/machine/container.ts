/**
 * Builds the container of deploy/Containerfile on a base of Debian's packages, and runs it as docs/operations.md says: `make test-container`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { run } from './image.ts';

const BASE = 'localhost/land-lookup-base';
const IMAGE = 'localhost/land-lookup-test';
const PORT = '18095';
/** Lower than any machine's own limits: podman cannot raise them where it has no right to. */
const LIMITS = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];

const folder = mkdtempSync(join(tmpdir(), 'land-lookup-container-'));
const name = `land-lookup-test-${process.pid}`;
const volume = `${name}:/var/lib/land-lookup`;
const inContainer = ['run', '--read-only', '--tmpfs', '/tmp:exec', '--network', 'host', ...LIMITS, '-v', volume];

try {
  if (!readdirSync(join(projectDir, 'dist')).some((file) => file.includes('~deb12_'))) {
    throw new Error('there is no package for Debian 12 in dist/: make deb SUITE=bookworm');
  }
  // No registry is asked: the base is made from Debian's packages.
  const base = join(folder, 'base.tar');
  run('mmdebstrap', '--quiet', '--variant=minbase', 'bookworm', base);
  run('podman', 'import', '--quiet', base, BASE);
  rmSync(base);
  podman(
    'build',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--build-arg',
    `BASE=${BASE}`,
    '-f',
    'deploy/Containerfile',
    '-t',
    IMAGE,
    '.',
  );
  console.log(`ok the image is built: ${podman('image', 'inspect', '--format', '{{.Size}}', IMAGE).trim()} bytes`);

  podman(...inContainer, '--rm', IMAGE, 'load-layers', '--sample');
  podman(...inContainer, '--rm', IMAGE, 'load-addresses', '--sample');
  const key = /olk_\w+/.exec(podman(...inContainer, '--rm', IMAGE, 'keys', 'create', '--name', 'container'))![0];
  console.log('ok the sample is imported and a key is made');

  const before = performance.now();
  podman(...inContainer, '--detach', '--name', name, '--env', `PORT=${PORT}`, '--env', 'ADMIN_PORT=18096', IMAGE);
  const status = await firstAnswer(key);
  if (status !== 200) throw new Error(`a lookup gets ${status}: ${podman('logs', name)}`);
  console.log(`ok a lookup is answered ${((performance.now() - before) / 1000).toFixed(1)} s after the start`);

  podman('healthcheck', 'run', name);
  console.log('ok the health check passes');
  const [uid, refusal] = podman('exec', name, 'sh', '-c', 'id -u; touch /opt/x 2>&1 || true').trim().split('\n');
  if (uid !== '10001' || refusal?.includes('Read-only file system') !== true) {
    throw new Error(`the user is ${uid ?? ''}; writing to the root: ${refusal ?? 'allowed'}`);
  }
  console.log('ok the user has no rights and the root is read-only');
  podman('stop', '--time', '15', name);
  const code = podman('inspect', '--format', '{{.State.ExitCode}}', name).trim();
  if (code !== '0') throw new Error(`it stopped with ${code}`);
  console.log('ok it stops by itself on SIGTERM');
} catch (cause) {
  console.log(`not ok ${cause instanceof Error ? cause.message : String(cause)}`);
  process.exitCode = 1;
} finally {
  quietly('rm', '--force', name);
  quietly('volume', 'rm', '--force', name);
  quietly('rmi', '--force', IMAGE);
  rmSync(folder, { recursive: true });
}

async function firstAnswer(key: string): Promise<number> {
  for (let tries = 0; tries < 600; tries++) {
    try {
      const { status } = await fetch(`http://127.0.0.1:${PORT}/api/lookup`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify({ address: '12 Main St W, Sampleton, ON' }),
      });
      return status;
    } catch {
      await sleep(200);
    }
  }
  throw new Error(`nothing answers: ${podman('logs', name)}`);
}

function podman(...args: readonly string[]): string {
  return run('podman', '--runtime', 'runc', ...args);
}

function quietly(...args: readonly string[]): void {
  try {
    podman(...args);
  } catch {
    // It was not there.
  }
}
