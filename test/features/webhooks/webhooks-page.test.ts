/** The receivers of docs/webhooks.md, run as a reader would, with real webhooks. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectDir } from '../../../src/project/project.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import {
  anEndedBatch,
  deliveriesOnce,
  hasEnded,
  secretsInMemory,
  startWebhooks,
} from '../../support/drivers/webhooks.ts';

const page = readFileSync(join(projectDir, 'docs', 'webhooks.md'), 'utf8');
const receivers = { 'receive-webhooks.mjs': process.execPath, 'receive_webhooks.py': 'python3' };

describe('docs/webhooks.md', function () {
  this.timeout(240_000);

  for (const [file, program] of Object.entries(receivers)) {
    it(`leads to ${file}, which takes genuine webhooks alone, once, also after a rotation`, async () => {
      expect(page).to.contain(`](examples/${file})`);
      using folder = temporaryFolder();
      const secrets = secretsInMemory();
      await using webhooks = startWebhooks(folder.path, { secrets });
      const { secret } = await webhooks.rotateSecret('key_a');
      const child = spawn(program, [join(projectDir, 'docs', 'examples', file)], {
        env: { ...process.env, PORT: '0', LAND_LOOKUP_WEBHOOK_SECRET: secret },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      const reader = createInterface(child.stdout);
      reader.on('line', (line) => lines.push(line));
      try {
        await once(reader, 'line');
        const url = `http://127.0.0.1:${/^port (\d+)$/.exec(lines[0]!)![1]!}/`;
        webhooks.batchEnded(anEndedBatch(url, { id: 'bat_first' }));
        await deliveriesOnce(webhooks, hasEnded);
        await webhooks.rotateSecret('key_a');
        webhooks.batchEnded(anEndedBatch(url, { id: 'bat_second', state: 'failed' }));
        const [second, first] = await deliveriesOnce(webhooks, hasEnded);
        expect([first!.state, second!.state]).to.deep.equal(['delivered', 'delivered']);
        webhooks.resend('key_a', first!.id);
        await deliveriesOnce(webhooks, hasEnded);
        secrets.secrets.clear();
        webhooks.batchEnded(anEndedBatch(url, { id: 'bat_forged' }));
        const [forged] = await deliveriesOnce(webhooks, hasEnded);
        expect([forged!.state, forged!.attempts[0]!.status]).to.deep.equal(['failed', 401]);
        expect(lines.slice(1)).to.deep.equal(['batch.completed bat_first', 'batch.failed bat_second']);
      } finally {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      }
    });
  }
});
