import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { writeCorpus } from '../support/material/hostile/corpus.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { ListeningSocket } from '../support/drivers/listening-socket.ts';
import { programFile } from '../support/drivers/program.ts';

const MOST_SECONDS = 40;

describe('an import of hostile files', function () {
  this.timeout(240_000);

  it(`takes less than ${MOST_SECONDS} s of the processor`, async () => {
    using folder = temporaryFolder();
    await using socket = await ListeningSocket.listen();
    writeCorpus(folder.path, socket.address);
    const program = programFile('./hostile-process', import.meta.url);
    const printed = execFileSync(process.execPath, [program, folder.path], { encoding: 'utf8', maxBuffer: 1e9 });
    const { seconds } = JSON.parse(printed.trim().split('\n').at(-1)!) as { readonly seconds: number };
    expect(seconds).to.be.below(MOST_SECONDS);
  });
});
