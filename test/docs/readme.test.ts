/** Every command and example of the README, as a reader would run it. `make test` is what runs this. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { givenAll } from '../support/drivers/given.ts';

const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({
  language,
  text: text!,
}));

describe('the README', function () {
  this.timeout(600_000);
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  after(() => {
    folder[Symbol.dispose]();
  });

  function run(
    command: string,
    env: Readonly<Record<string, string>> = {},
  ): { status: number | null; stdout: string; stderr: string } {
    const options = { cwd: projectDir, encoding: 'utf8', env: { ...process.env, DATA_DIR: dataDir, ...env } } as const;
    return spawnSync('bash', ['-c', command], options);
  }

  it('shows a request and an answer that `make run` really gives', async () => {
    const server = spawn('make', ['run'], {
      cwd: projectDir,
      env: { ...process.env, DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0' },
      detached: true,
    });
    let printed = '';
    const curl = new Promise<string>((resolve, reject) => {
      const look = (chunk: Buffer): void => {
        printed += chunk.toString();
        const command = /^curl [^\n]*\\\n(?: {2}[^\n]*\\\n)* {2}-d '[^\n]*'$/m.exec(printed)?.[0];
        if (command !== undefined) resolve(command);
      };
      server.stdout.on('data', look);
      server.stderr.on('data', look);
      server.once('exit', () => {
        reject(new Error(`make run ended: ${printed}`));
      });
    });
    try {
      const command = await curl;
      const answer = JSON.parse(run(command).stdout) as unknown;
      const shown = blocks.find(({ language }) => language === 'json')!.text;
      expect(JSON.parse(shown)).to.deep.equal(answer);
      const request = blocks.find(({ text }) => text.startsWith('curl'))!.text;
      const [, url, key] = /(http:\/\/[^/]+)\/api.*?Bearer (\S+?)'/s.exec(command)!;
      const again = run(request.replace('http://127.0.0.1:8080', url!), { KEY: key! });
      expect(JSON.parse(again.stdout)).to.deep.equal(answer);
    } finally {
      const ended = once(server, 'exit');
      process.kill(-server.pid!, 'SIGTERM');
      await ended;
    }
  });

  givenAll().it('lists commands that work', () => {
    writeFileSync(join(folder.path, 'places.csv'), 'lat,lon\n44.1,-79.4\n44.2,-79.0\n');
    const commands = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.trim().split('\n'))
      .filter((line) => line.startsWith('land-lookup ') && !line.endsWith(' serve'));
    expect(commands).to.have.length.greaterThan(5);
    for (const [i, line] of commands.entries()) {
      const register = line.includes('load-addresses')
        ? join('layers', 'sample', 'addresses')
        : join('layers', 'sample');
      // One shows that npx finds the program, which takes it longer than most commands take.
      const program = i === 0 ? `npx ${line}` : line.replace('land-lookup', 'dist/src/main.js');
      const command = program.replace(/\bDIR\b/, register).replace('places.csv', join(folder.path, 'places.csv'));
      const { status, stderr, stdout } = run(command);
      expect(status, `${command}\n${stdout}${stderr}`).to.equal(0);
    }
  });

  it('alone says how a clone calls the command', () => {
    const pages = ['SECURITY.md', ...globSync('docs/**/*.md', { cwd: projectDir })];
    expect(pages.length).to.be.above(50);
    for (const page of pages)
      expect(readFileSync(join(projectDir, page), 'utf8'), page).not.to.contain('npx land-lookup');
    expect(readme.match(/npx land-lookup/g)).to.have.length(1);
  });

  it('installs with commands of the runbook, which a booted machine runs', () => {
    const runbook = readFileSync(join(projectDir, 'docs', 'operations.md'), 'utf8').split('\n');
    const [, text = ''] = /## Install\n[^]*?```sh\n([^`]*)```/.exec(readme) ?? [];
    const commands = text.trim().split('\n');
    expect(commands).to.have.length(2);
    expect(runbook).to.include.members(commands);
  });

  it('names only make targets and commands that exist', () => {
    const targets = run('make help').stdout;
    for (const [, target] of readme.matchAll(/`make ([a-z-]+)`/g))
      expect(targets).to.match(new RegExp(`^${target} `, 'm'));
  });
});
