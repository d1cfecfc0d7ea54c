/** Priorities of lookup threads, as Linux has them. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { LookupPool } from '../../src/core/pool/lookup-pool.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';

/** Nice values of all threads of this process: field 19 of proc_pid_stat(5). */
function niceValues(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

describe('A pool of lookup threads', function () {
  this.timeout(240_000);

  it('gives its thread for costly work a lower priority, and no other thread', async function () {
    const own = getPriority();
    // A test that runs with the lowest priority cannot tell.
    if (own + 10 > 19) this.skip();
    const { dir: snapshotDir } = requireCurrentSnapshot(sampleDataDir());
    const catalogue = readCatalogue(join(projectDir, 'layers'));
    const before = niceValues().filter((nice) => nice === own + 10).length;
    await using pool = await LookupPool.start({ threads: 2, deadlineMs: 120_000, snapshotDir, catalogue });
    expect(pool.status.costlyThreads).to.equal(1);
    const values = niceValues();
    expect(values.filter((nice) => nice === own + 10)).to.have.length(before + 1);
    expect(values.filter((nice) => nice === own).length).to.be.at.least(3);
  });
});
