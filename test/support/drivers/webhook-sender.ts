/**
 * Sends webhooks in a process that is killed at any moment. It reports batches of its own at receivers on four addresses, and prints the id of each once it is
 * stored. Arguments: FOLDER ORIGIN NAME BATCHES; in ORIGIN, `#` stands for the number of the receiver, 1 to 4.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keysInFile } from '../../../src/core/keys/open-key-store.ts';
import { Webhooks } from '../../../src/features/webhooks/webhooks.ts';

const [folder, origin, name, batches] = process.argv.slice(2) as [string, string, string, string];

const webhooks = new Webhooks({
  ...{
    dataDir: folder,
    secrets: keysInFile(join(folder, 'accounts.sqlite')),
    allow: ['127.0.0.0/8', 'localhost'],
  },
  times: { deadlineMs: 4000, leaseMs: 5000, delaysMs: Array<number>(60).fill(15), pollMs: 10 },
  logger: { warn: () => undefined, error: (text: string) => process.stdout.write(`error ${text}\n`) } as never,
  describe: ({ id, state }) => ({ id, state }),
  isClockTrusted: () => true,
});
process.stdout.write('ready\n');

for (let i = 0; i < Number(batches); i++) {
  const id = `bat_${name}_${i}`;
  const [receiver, keyId] = [origin.replace('#', String(1 + (i % 4))), `key_${i % 4}`];
  const endedAt = new Date().toISOString();
  const batch = {
    id,
    keyId,
    state: 'completed',
    callbackUrl: `${receiver}/${id}`,
    endedAt,
    expiresAt: null,
  };
  webhooks.batchEnded(batch);
  process.stdout.write(`stored ${id}\n`);
  await sleep(10);
}
// The timers of webhooks keep no process alive.
setInterval(() => undefined, 1000);
