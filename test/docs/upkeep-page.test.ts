/** The commands of the page about secrets, changes and the restore drill, run as an operator would. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { makeBackup } from '../../src/features/backup/make-backup.ts';
import { projectDir } from '../../src/project/project.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { storeSample } from '../support/material/snapshot-copies.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { given } from '../support/drivers/given.ts';

const page = readFileSync(join(projectDir, 'docs', 'upkeep.md'), 'utf8');
const [restart, redis, hook, drill] = [...page.matchAll(/```sh\n([^`]*)```/g)].map(([, block]) => block!) as [
  string,
  string,
  string,
  string,
];

describe('the page about upkeep', function () {
  this.timeout(240_000);

  it('names the release in service for the restart', () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'releases', '0.3.0-1'), { recursive: true });
    symlinkSync('releases/0.3.0-1', join(folder.path, 'current'));
    const told = restart.replace('/opt/land-lookup', folder.path).replace('sudo land-lookup-use-release', 'echo');
    expect(execFileSync('sh', ['-c', told], { encoding: 'utf8' })).to.equal('0.3.0-1\n');
  });

  it('changes the password of Redis with a time in which both are valid', async () => {
    await using server = await RedisServer.start();
    const socket = server.url.replace('unix://', '');
    const cli = (...args: string[]) => spawnSync('redis-cli', ['-s', socket, ...args], { encoding: 'utf8' });
    const ping = (password: string): string => cli('--no-auth-warning', '-a', password, 'PING').stdout.trim();
    expect(cli('CONFIG', 'SET', 'requirepass', 'OLD').stdout).to.equal('OK\n');
    const [first, second] = redis.trim().split('\n') as [string, string];
    const run = (line: string): string =>
      execFileSync('sh', ['-c', line.replace('redis-cli', `redis-cli -s ${socket} --no-auth-warning`)], {
        encoding: 'utf8',
      });
    expect(run(first)).to.equal('OK\n');
    expect([ping('OLD'), ping('NEW')]).to.deep.equal(['PONG', 'PONG']);
    expect(run(second)).to.equal('OK\n');
    expect([ping('OLD') === 'PONG', ping('NEW')]).to.deep.equal([false, 'PONG']);
  });

  it('writes the certificate and its key into one file that only root can read, and tells the proxy', () => {
    using folder = temporaryFolder();
    const inside = (name: string): string => join(folder.path, name);
    for (const [name, text] of Object.entries({ 'fullchain.pem': 'chain\n', 'privkey.pem': 'key\n', 'tls.pem': 'old' }))
      writeFileSync(inside(name), text, { mode: 0o644 });
    writeFileSync(inside('systemctl'), `#!/bin/sh\necho "$@" > ${inside('told')}\n`, { mode: 0o755 });
    writeFileSync(inside('hook'), hook.replaceAll('/etc/land-lookup', folder.path));
    chmodSync(inside('hook'), 0o755);
    const env = { PATH: `${folder.path}:${process.env['PATH'] ?? ''}`, RENEWED_LINEAGE: folder.path };
    execFileSync(inside('hook'), { env });
    expect(readFileSync(inside('tls.pem'), 'utf8')).to.equal('chain\nkey\n');
    expect(statSync(inside('tls.pem')).mode & 0o777).to.equal(0o600);
    expect(readFileSync(inside('told'), 'utf8')).to.equal('reload haproxy\n');
  });

  given('travel').it('restores a backup on another machine, as the drill does', async () => {
    using folder = temporaryFolder();
    const [dataDir, other] = [join(folder.path, 'data'), join(folder.path, 'other')];
    await newKey(dataDir, { name: 'drill' });
    useSnapshot(dataDir, storeSample(dataDir, 1));
    const config = { dataDir, redisUrl: null, minFreeDiskBytes: 0 };
    const backup = await makeBackup(config, { to: join(folder.path, 'backups'), settings: null, keep: 1 });
    expect((await commandHere(dataDir, {}, 'snapshot', 'verify')).status).to.equal(0);
    for (const line of drill.trim().split('\n')) {
      const args = line
        .replace('sudo land-lookup ', '')
        .replace('/var/backups/land-lookup/BACKUP', join(folder.path, 'backups', basename(backup)))
        .replace('http://OTHER:18081/snapshots', dataDir);
      const { status, stdout, stderr } = await commandHere(other, {}, ...args.split(' '));
      expect(status, `${line}: ${stdout}${stderr}`).to.equal(0);
      if (line.endsWith('keys list')) expect(stdout).to.contain('drill');
    }
  });
});
