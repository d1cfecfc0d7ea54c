/** The example of the documentation that looks up a file in parts, run by Slurm with the line that docs/beyond-one-machine.md shows. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { until } from '../support/drivers/patience.ts';
import { placesCsv, shards, shardsEnv, shardsScript } from '../support/drivers/shards.ts';
import { Slurm } from '../support/drivers/slurm.ts';
import { sampleAddresses } from '../support/material/sample-addresses.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';

const run = promisify(execFile);
const ROWS = 200_000;
const PARTS = 20;
const KILLED = 5;
const TWICE = 7;

describe('A file that is looked up in parts by Slurm', function () {
  this.timeout(3_600_000);

  it(`has each of ${ROWS} rows once, and the same bytes as from one run, with a part that is killed and one that runs twice`, async () => {
    // Some gigabytes, which belong on a disk.
    using folder = temporaryFolder('/var/tmp');
    await using slurm = await Slurm.start();
    const places = join(folder.path, 'places.csv');
    const parts = join(folder.path, 'parts');
    const env: NodeJS.ProcessEnv = { ...shardsEnv(folder.path), ...slurm.env };
    const addresses = sampleAddresses();
    writeFileSync(places, placesCsv(Array.from({ length: ROWS }, (_, i) => addresses[i % addresses.length]!)));
    symlinkSync(join(projectDir, 'docs'), join(folder.path, 'docs'));
    await shards(env, 'split', places, parts, String(PARTS));

    const shown = /`(sbatch --array=1-20 [^`]+)`/.exec(
      readFileSync(join(projectDir, 'docs', 'beyond-one-machine.md'), 'utf8'),
    )![1]!;
    const submit = async (line: string): Promise<string> => {
      const { stdout } = await run('bash', ['-c', line], { env, cwd: folder.path });
      return /^Submitted batch job (\d+)$/m.exec(stdout)![1]!;
    };
    const job = await submit(shown);
    const answers = (part: number): string => join(parts, `part-${String(part).padStart(4, '0')}`);
    await until(() => existsSync(`${answers(KILLED)}.unfinished.resume`), 1);
    await run('scancel', ['--signal=KILL', '--full', `${job}_${KILLED}`], { env });
    await until(async () => !(await slurm.waiting(env)).includes(`${job}_${KILLED}`));
    expect(existsSync(`${answers(KILLED)}.ndjson`)).to.equal(false);
    await submit(shown.replace('--array=1-20', `--array=${KILLED},${TWICE}`));
    // Three minutes without a part that ends: something hangs.
    for (let left = await slurm.waiting(env); left.length > 0;) {
      const before = left.length;
      await until(async () => (left = await slurm.waiting(env)).length < before, 500);
    }

    const [joined, whole] = ['joined.ndjson', 'whole.ndjson'].map((name) => join(folder.path, name)) as [
      string,
      string,
    ];
    await run('bash', ['-c', `bash '${shardsScript}' join '${parts}' > '${joined}'`], { env });
    cliOrThrow(sampleDataDir(), 'lookup', '--file', places, '--out', whole);
    await run('cmp', [joined, whole]);
    // Line n is the answer of row n.
    expect((await run('wc', ['--lines', joined])).stdout).to.equal(`${ROWS} ${joined}\n`);
  });
});
