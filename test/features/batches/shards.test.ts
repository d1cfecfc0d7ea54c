/** The example of the documentation that looks up a file in parts, run by GNU parallel as docs/beyond-one-machine.md shows it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { cliOrThrow } from '../../support/drivers/cli.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { until } from '../../support/drivers/patience.ts';
import { placesCsv, shards, shardsEnv, shardsScript as script } from '../../support/drivers/shards.ts';
import { sampleAddresses } from '../../support/material/sample-addresses.ts';

const run = promisify(execFile);
const PARTS = 4;

describe('A file that is looked up in parts', function () {
  this.timeout(480_000);
  const folder = temporaryFolder();
  const places = join(folder.path, 'places.csv');
  const parts = join(folder.path, 'parts');
  let env: NodeJS.ProcessEnv;

  before(() => {
    env = shardsEnv(folder.path);
    const rows = [...sampleAddresses(), '1 Nowhere Cres, Sampleton, ON', 'a "quoted" 12 Main St W'];
    writeFileSync(places, placesCsv(rows));
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  /** Kills a run of a part, with all that it has started, as soon as it has a state to go on from. Where it ends before that, false. */
  async function kill(number: number): Promise<boolean> {
    const part = join(parts, `part-${String(number).padStart(4, '0')}`);
    const child = spawn('bash', [script, 'answer', parts, String(number)], { env, detached: true, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await until(() => existsSync(`${part}.unfinished.resume`) || child.exitCode !== null, 1);
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
    const [, signal] = (await ended) as [number | null, string | null];
    expect(existsSync(`${part}.ndjson`)).to.equal(signal === null);
    rmSync(`${part}.ndjson`, { force: true });
    return signal === 'SIGKILL';
  }

  it('has the same bytes as from one run, with a part that is killed and one that runs twice at once', async () => {
    await shards(env, 'split', places, parts, String(PARTS));
    expect(readdirSync(parts)).to.have.length(PARTS);
    // A machine that stands still lets it end first.
    await until(() => kill(3));
    const refused = await shards(env, 'join', parts).catch((cause: unknown) => cause as { readonly stderr: string });
    expect(refused.stderr).to.contain('part-0001.ndjson is missing');
    await Promise.all([shards(env, 'answer', parts, '2'), shards(env, 'answer', parts, '2')]);
    const numbers = Array.from({ length: PARTS }, (_, i) => String(i + 1));
    await run('parallel', ['--jobs', '2', '--retries', '3', 'bash', script, 'answer', parts, '{}', ':::', ...numbers], {
      env,
    });
    const { stdout: joined } = await shards(env, 'join', parts);
    const whole = join(folder.path, 'whole.ndjson');
    cliOrThrow(env['DATA_DIR']!, 'lookup', '--file', places, '--out', whole);
    expect(joined === readFileSync(whole, 'utf8')).to.equal(true);
    expect(joined.split('\n')).to.have.length(readFileSync(places, 'utf8').split('\n').length - 1);
    expect(readdirSync(parts).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });

  it('is refused where a row has several lines, because a part would begin in it', async () => {
    const split = join(folder.path, 'split.csv');
    writeFileSync(split, 'custom_id,address\n1,"12 Main St W\nSampleton, ON"\n');
    const refused = await shards(env, 'split', split, join(folder.path, 'none'), '2').catch((cause: unknown) => cause);
    expect((refused as { readonly stderr: string }).stderr).to.contain('has a row of several lines');
    expect(existsSync(join(folder.path, 'none'))).to.equal(false);
    rmSync(split);
  });
});
