import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../../src/project/project.ts';
import { DAY_MS } from '../../../src/messages/time.ts';
import { setClock } from '../../support/drivers/clock-file.ts';

/** Moves the wall clock of the processes that get `env` ahead by 35 days or back by one, for a second or two at a time. */
export class JumpingClock implements AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;
  #jumping: Promise<void> | null = null;
  #isStopped = false;

  /** @param file through which the processes read it. */
  constructor(file: string) {
    const preload = pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'shift-clock.mjs')).href;
    const options = [process.env['NODE_OPTIONS'] ?? '', '--import', preload];
    this.env = { CLOCK_FILE: file, NODE_OPTIONS: options.join(' ') };
    this.#file = file;
    this.#set(0);
  }

  /** Begins, once a service has opened its journal: one that begins with a wrong clock has nothing to hold it against. */
  begin(random: () => number): void {
    this.#jumping = this.#jump(random);
  }

  /** Sets it right. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#jumping;
  }

  async #jump(random: () => number): Promise<void> {
    while (!this.#isStopped) {
      await sleep(500 + random() * 3000);
      this.#set(random() < 0.5 ? 35 * DAY_MS : -DAY_MS);
      await sleep(300 + random() * 2000);
      this.#set(0);
    }
  }

  #set(ms: number): void {
    setClock(this.#file, { offMs: ms });
  }
}
