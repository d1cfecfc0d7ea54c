/** Standard output on a full disk, and a reader of it that has left: work goes on, and what was lost is said. */
import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { cliArguments, cliEnvironment, cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { SERVICE_ENV } from '../support/drivers/running-service.ts';
import { serveSample } from '../support/material/snapshot-copies.ts';

const commands = [
  ['keys', 'list'],
  ['keys', 'export'],
  ['usage', 'report', '--csv'],
  ['snapshot', 'list'],
  ['check-config'],
  ['--version'],
] as const;

/** Reads the log until it says where the service is, and then leaves. */
async function servedUrl(log: Readable): Promise<string> {
  let text = '';
  for await (const chunk of log) {
    text += String(chunk);
    const url = /"url":"([^"]+)".*"message":"serving"/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`it ended: ${text}`);
}

describe('Standard output that cannot be written', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  before(() => {
    serveSample(folder.path, 1);
    cliOrThrow(folder.path, 'keys', 'create', '--name', 'Ada');
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  function onFullDisk(...args: string[]): { readonly status: number | null; readonly stderr: string } {
    const full = openSync('/dev/full', 'w');
    try {
      const options = { encoding: 'utf8', env: cliEnvironment(folder.path, {}) } as const;
      return spawnSync(process.execPath, [...cliArguments, ...args], { ...options, stdio: ['ignore', full, 'pipe'] });
    } finally {
      closeSync(full);
    }
  }

  async function withoutReader(
    ...args: string[]
  ): Promise<{ readonly status: number | null; readonly stderr: string }> {
    const child = spawn(process.execPath, [...cliArguments, ...args], { env: cliEnvironment(folder.path, {}) });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    await once(child, 'close');
    return { status: child.exitCode, stderr };
  }

  for (const command of commands) {
    it(`ends "${command.join(' ')}" with 1 and a sentence on a full disk, and with 0 when the reader has left`, async () => {
      const full = onFullDisk(...command);
      expect(full.stderr).to.match(/^land-lookup: standard output cannot be written: ENOSPC.*free some space\n$/);
      expect(full.status).to.equal(1);
      expect(await withoutReader(...command)).to.deep.equal({ status: 0, stderr: '' });
    });
  }

  it('says what to do about a key that was made and that nobody has', async () => {
    for (const { status, stderr } of [
      onFullDisk('keys', 'create', '--name', 'Bo'),
      await withoutReader('keys', 'create', '--name', 'Cy'),
    ]) {
      expect(stderr).to.match(/the key could not be printed \(.*run "land-lookup keys rotate key_[0-9a-f]{16}"/);
      expect(status).to.equal(1);
    }
  });

  it('stops no service whose log nobody reads', async () => {
    const child = spawn(process.execPath, [...cliArguments, 'serve'], {
      env: cliEnvironment(folder.path, SERVICE_ENV),
    });
    try {
      const url = await servedUrl(child.stdout);
      const stderr = once(child.stderr, 'data') as Promise<[Buffer]>;
      for (let i = 0; i < 5; i++) expect((await fetch(`${url}/api/layers`)).status).to.equal(200);
      expect(String(await stderr)).to.contain('the log is lost, and requests are answered all the same: write EPIPE');
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    expect(child.exitCode).to.equal(0);
  });
});
