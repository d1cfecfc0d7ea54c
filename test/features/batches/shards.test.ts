/** The example of the documentation that looks up a file in parts, run by GNU parallel as docs/beyond-one-machine.md shows it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import { cliArguments, cliOrThrow } from '../../support/drivers/cli.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { until } from '../../support/drivers/patience.ts';
import { sampleAddresses } from '../../support/material/sample-addresses.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';

const run = promisify(execFile);
const script = join(projectDir, 'docs', 'examples', 'shards.sh');
const PARTS = 8;

describe('A file that is looked up in parts', function () {
  this.timeout(480_000);
  const folder = temporaryFolder();
  const places = join(folder.path, 'places.csv');
  const parts = join(folder.path, 'parts');
  let env: NodeJS.ProcessEnv;

  before(() => {
    const program = join(folder.path, 'land-lookup');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cliArguments.join("' '")}' "$@"\n`);
    chmodSync(program, 0o755);
    const path = `${folder.path}:${process.env['PATH'] ?? ''}`;
    env = { ...process.env, PATH: path, DATA_DIR: sampleDataDir(), WORKER_THREADS: '1' };
    const rows = [...sampleAddresses(), '1 Nowhere Cres, Sampleton, ON', 'a "quoted" 12 Main St W'];
    writeFileSync(
      places,
      `custom_id,address\n${rows.map((row, i) => `c${i},"${row.replaceAll('"', '""')}"\n`).join('')}`,
    );
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  const shards = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
    run('bash', [script, ...args], { env, maxBuffer: 1 << 30 });

  /** Kills a run of a part, with all that it has started, as soon as it has a state to go on from. */
  async function kill(number: number): Promise<void> {
    const part = join(parts, `part-${String(number).padStart(4, '0')}`);
    const child = spawn('bash', [script, 'answer', parts, String(number)], { env, detached: true, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await until(() => existsSync(`${part}.unfinished.resume`) || child.exitCode !== null, 1);
    process.kill(-child.pid!, 'SIGKILL');
    expect(await ended).to.deep.equal([null, 'SIGKILL']);
    expect(existsSync(`${part}.ndjson`)).to.equal(false);
  }

  it('has the same bytes as from one run, with a part that is killed and one that runs twice at once', async () => {
    await shards('split', places, parts, String(PARTS));
    expect(readdirSync(parts)).to.have.length(PARTS);
    await kill(5);
    const refused = await shards('join', parts).catch((cause: unknown) => cause as { readonly stderr: string });
    expect(refused.stderr).to.contain('part-0001.ndjson is missing');
    await Promise.all([shards('answer', parts, '7'), shards('answer', parts, '7')]);
    const numbers = Array.from({ length: PARTS }, (_, i) => String(i + 1));
    await run('parallel', ['--jobs', '2', '--retries', '3', 'bash', script, 'answer', parts, '{}', ':::', ...numbers], {
      env,
    });
    const { stdout: joined } = await shards('join', parts);
    const whole = join(folder.path, 'whole.ndjson');
    cliOrThrow(env['DATA_DIR']!, 'lookup', '--file', places, '--out', whole);
    expect(joined === readFileSync(whole, 'utf8')).to.equal(true);
    expect(joined.split('\n')).to.have.length(readFileSync(places, 'utf8').split('\n').length - 1);
    expect(readdirSync(parts).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });

  it('is refused where a row has several lines, because a part would begin in it', async () => {
    const split = join(folder.path, 'split.csv');
    writeFileSync(split, 'custom_id,address\n1,"12 Main St W\nSampleton, ON"\n');
    const refused = await shards('split', split, join(folder.path, 'none'), '2').catch((cause: unknown) => cause);
    expect((refused as { readonly stderr: string }).stderr).to.contain('has a row of several lines');
    expect(existsSync(join(folder.path, 'none'))).to.equal(false);
    rmSync(split);
  });
});
