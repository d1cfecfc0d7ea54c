import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import type { BudgetProcessOptions } from '../support/drivers/budget-process.ts';
import { setClock } from '../support/drivers/clock-file.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { programFile } from '../support/drivers/program.ts';
import { RedisServer } from '../support/drivers/redis.ts';

const PROCESSES = 4;
const KEYS = 20;
const BUDGET = 30;
const AT_ONCE = 3;

const program = programFile('../support/drivers/budget-process', import.meta.url);
const shiftClock = pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'shift-clock.mjs')).href;

describe('Monthly budgets of 20 keys over 4 processes', function () {
  this.timeout(240_000);

  it('are exceeded by no more than what is under way, and begin anew at the turn of the month in UTC', async () => {
    await using redis = await RedisServer.start();
    using folder = temporaryFolder();
    const clock = join(folder.path, 'clock');
    const now = new Date();
    const turnMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    setClock(clock, { standsAtMs: turnMs - 80_000 });
    // Two machines with two processes each.
    const dataDirs = [folder.path, join(folder.path, 'other')] as const;
    const children = Array.from({ length: PROCESSES }, (_, i) => start(dataDirs[i % 2]!));
    try {
      await Promise.all(children.map((child) => once(child, 'message')));
      await expectBudgetOf(turnMs - 1);
      setClock(clock, { standsAtMs: turnMs + 1000 });
      await expectBudgetOf(turnMs);
    } finally {
      for (const child of children) child.kill();
    }

    function start(dataDir: string): ChildProcess {
      const options: BudgetProcessOptions = {
        ...{ dataDir, redisUrl: redis.url, keys: KEYS, budget: BUDGET, atOnce: AT_ONCE },
      };
      return fork(program, [JSON.stringify(options)], {
        execArgv: [...process.execArgv, '--import', shiftClock],
        env: { ...process.env, CLOCK_FILE: clock },
      });
    }

    /** Lets all processes ask until they are refused. */
    async function expectBudgetOf(atMs: number): Promise<void> {
      const month = new Date(atMs).toISOString().slice(0, 7);
      const replies = children.map((child) => once(child, 'message') as Promise<[number[]]>);
      for (const child of children) child.send('go');
      const answered = (await Promise.all(replies)).map(([counts]) => counts);
      for (let i = 0; i < KEYS; i++) {
        const total = answered.reduce((sum, counts) => sum + counts[i]!, 0);
        expect(total, `key ${i} in ${month}`).to.be.within(BUDGET, BUDGET + PROCESSES * AT_ONCE);
        expect(recorded(`key_${i}`, month), 'what was recorded').to.equal(total);
      }
    }

    function recorded(keyId: string, month: string): number {
      return dataDirs.reduce((sum, dataDir) => {
        const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
        const lookups = db.prepare('SELECT lookups FROM month_use WHERE key_id = ? AND month = ?').pluck();
        const own = Number(lookups.get(keyId, month) ?? 0);
        db.close();
        return sum + own;
      }, 0);
    }
  });
});
