/** The memory of `land-lookup lookup --file`, which must not grow with the file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { cliArguments } from '../../support/drivers/cli.ts';
import { sampleAddresses } from '../../support/material/sample-addresses.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';

/** Rows after which the caches are full and V8 has the heap that it wants. */
const WARM_ROWS = 40_000;
const ROWS = 120_000;

/** What the rows in between may add to a heap that still grows a little. Their answers are more. */
const MOST_MB = 100;

describe('lookup --file of many rows', function () {
  this.timeout(300_000);

  it('takes no more memory for many rows than for few', async () => {
    const args = [...cliArguments, 'lookup', '--file', '-', '--detail', 'plain'];
    const env = { ...process.env, DATA_DIR: sampleDataDir() };
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const addresses = sampleAddresses();
    let lines = 0;
    let bytes = 0;
    let warmMb = 0;
    let mostMb = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) lines++;
      bytes += chunk.length;
      if (child.exitCode !== null) return;
      const rssMb = residentMb(child.pid!);
      if (lines <= WARM_ROWS) warmMb = Math.max(warmMb, rssMb);
      mostMb = Math.max(mostMb, rssMb);
    });
    const lines1000 = Array.from({ length: 1000 }, (_, i) =>
      JSON.stringify({ address: addresses[i % addresses.length] }),
    );
    const text = `${lines1000.join('\n')}\n`;
    for (let row = 0; row < ROWS; row += 1000) {
      if (!child.stdin.write(text)) await once(child.stdin, 'drain');
    }
    child.stdin.end();
    const [code] = (await ended) as [number | null];
    expect(code).to.equal(0);
    expect(lines).to.equal(ROWS);
    expect(warmMb).to.be.greaterThan(0);
    const answersMb = ((bytes / 2 ** 20) * (ROWS - WARM_ROWS)) / ROWS;
    expect(answersMb, 'what a leak would show').to.be.greaterThan(1.5 * MOST_MB);
    expect(mostMb - warmMb, `${warmMb} MB after ${WARM_ROWS} rows`).to.be.lessThan(MOST_MB);
  });
});

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
