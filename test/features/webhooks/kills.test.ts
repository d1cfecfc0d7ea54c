/** Processes that send webhooks are killed at any moment: each event arrives, and none again after its success was stored. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { inputs } from '../../support/drivers/inputs.ts';
import { settle } from '../../support/drivers/passing-time.ts';
import { until } from '../../support/drivers/patience.ts';
import { programFile } from '../../support/drivers/program.ts';
import { manners, verifyWebhook, WebhookReceiver, type Manner } from '../../support/doubles/webhook-receiver.ts';

const KILLS = inputs(50, 5);
const BATCHES_PER_ROUND = 12;
const sender = programFile('../../support/drivers/webhook-sender', import.meta.url);

/** A receiver that takes a while, and fails every third time in one of several ways. */
const moody = (): Manner => {
  let requests = 0;
  const failures = [manners['answers 500'], manners['resets the connection'], manners['ends the connection at once']];
  return (res, ...rest) => {
    const manner = ++requests % 3 === 0 ? failures[requests % failures.length]! : manners.accepts;
    setTimeout(() => {
      manner(res, ...rest);
    }, Math.random() * 30);
  };
};

describe('A process that sends webhooks and is killed', function () {
  this.timeout(600_000);

  it(`${KILLS} times delivers each event, correctly signed, and none after its success was stored`, async () => {
    using folder = temporaryFolder();
    await using receiver = await WebhookReceiver.start('0.0.0.0');
    const manner = moody();
    receiver.manners.get = () => manner;
    const stored = new Set<string>();
    /** Batches that were delivered by what is on the disk, with the number of requests until then. */
    const done = new Map<string, number>();

    const start = (name: string, batches: number) => {
      const args = [sender, folder.path, `http://127.0.0.#:${receiver.port}`, name, String(batches)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const ready = new Promise<void>((resolve) => {
        createInterface(child.stdout).on('line', (line) => {
          if (line === 'ready') resolve();
          else if (line.startsWith('stored ')) stored.add(line.slice(7));
        });
      });
      return { child, ready, ended: once(child, 'exit') };
    };
    const noteDone = (): void => {
      for (const id of deliveredIn(folder.path)) if (!done.has(id)) done.set(id, receiver.at(`/${id}`).length);
    };

    for (let round = 0; round < KILLS; round++) {
      const before = stored.size;
      // Now and then two at once share the table, and one of them is killed.
      const senders = [start(`r${round}`, BATCHES_PER_ROUND), ...(round % 10 === 9 ? [start(`s${round}`, 4)] : [])];
      await Promise.all(senders.map(({ ready }) => ready));
      await sleep(Math.random() * 500);
      await until(() => stored.size > before + 2);
      // Often enough, some are delivered before the kill.
      if (round % 3 === 0) await until(() => deliveredIn(folder.path).length > done.size);
      for (const { child } of senders) child.kill('SIGKILL');
      await Promise.all(senders.map(({ ended }) => ended));
      // What the killed process has sent is read from the sockets first.
      for (let read = -1; read !== receiver.received.length;) {
        read = receiver.received.length;
        await sleep(50);
        await settle();
      }
      noteDone();
    }
    const last = start('last', 0);
    await last.ready;
    while (!isAllDone(folder.path)) await sleep(50);
    last.child.kill('SIGKILL');
    await last.ended;

    expect(stored.size).to.be.at.least(KILLS / 5);
    const missing = [...stored].filter((id) => !receiver.at(`/${id}`).some((one) => isGenuine(folder.path, one)));
    expect(missing, 'never delivered').to.deep.equal([]);
    expect(done.size).to.be.at.least(KILLS / 5);
    const repeated = [...done].filter(([id, requests]) => receiver.at(`/${id}`).length > requests);
    expect(repeated, 'sent after a stored success').to.deep.equal([]);
    console.log(
      `      ${stored.size} events, ${receiver.received.length} requests, ${done.size} stored as delivered at a kill`,
    );
  });
});

/** Batches that were delivered, by what is on the disk. */
function deliveredIn(folder: string): readonly string[] {
  const db = new Database(join(folder, 'batches', 'webhooks.sqlite'));
  try {
    return db.prepare<[], string>(`SELECT batch FROM delivery WHERE state = 'delivered'`).pluck().all();
  } finally {
    db.close();
  }
}

function isAllDone(folder: string): boolean {
  const db = new Database(join(folder, 'batches', 'webhooks.sqlite'), { readonly: true });
  const open = db.prepare<[], number>(`SELECT count(*) FROM delivery WHERE state <> 'delivered'`).pluck().get();
  db.close();
  return open === 0;
}

function isGenuine(folder: string, received: Parameters<typeof verifyWebhook>[0]): boolean {
  const db = new Database(join(folder, 'accounts.sqlite'), { readonly: true });
  const all = db.prepare<[], string>(`SELECT text FROM document WHERE collection = 'webhook-secrets'`).pluck().all();
  db.close();
  const secrets = all.flatMap((text) => (JSON.parse(text) as { secret: string }[]).map(({ secret }) => secret));
  return secrets.some((secret) => {
    try {
      return verifyWebhook(received, secret) === 1;
    } catch {
      return false;
    }
  });
}
