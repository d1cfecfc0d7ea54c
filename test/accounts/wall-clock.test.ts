import { join } from 'node:path';
import { expect } from 'chai';
import { openJournal } from '../../workers/journal/open.ts';
import { WallClock } from '../../workers/journal/wall-clock.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A machine's clocks, and processes that judge them over one journal. */
class Machine implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #db = openJournal(join(this.#folder.path, 'usage.sqlite'));
  wallMs = Date.UTC(2026, 10, 21);
  uptimeMs = 5 * HOUR_MS;
  name = 'a';
  #clock = this.start();

  /** A process of its own. */
  start(): WallClock {
    return new WallClock(this.#db, () => ({ wallMs: this.wallMs, uptimeMs: this.uptimeMs, machine: this.name }));
  }

  restart(): void {
    this.#clock = this.start();
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.uptimeMs += ms;
  }

  get isTrusted(): boolean {
    this.#clock.check();
    return this.#clock.isTrusted;
  }

  get correctionMs(): number {
    this.#clock.check();
    return this.#clock.correctionMs;
  }

  trust(): void {
    this.#clock.trust();
  }

  [Symbol.dispose](): void {
    this.#db.close();
    this.#folder[Symbol.dispose]();
  }
}

describe('The trust in the wall clock', () => {
  it('stays while both clocks go on, over pauses, restarts and corrections of seconds', () => {
    using machine = new Machine();
    for (const ms of [0, 2000, MINUTE_MS, 3 * DAY_MS, 40 * DAY_MS]) {
      machine.pass(ms);
      expect(machine.isTrusted, `${ms} ms`).to.equal(true);
      machine.restart();
      machine.wallMs += 5000;
    }
  });

  for (const [what, jumpMs] of [
    ['forwards by 35 days', 35 * DAY_MS],
    ['back by a day', -DAY_MS],
    ['forwards by ten minutes', 10 * MINUTE_MS],
  ] as const) {
    it(`ends when the wall clock jumps ${what}, and comes back with the time`, () => {
      using machine = new Machine();
      expect(machine.isTrusted).to.equal(true);
      machine.pass(2000);
      machine.wallMs += jumpMs;
      expect(machine.isTrusted).to.equal(false);
      expect(machine.correctionMs).to.equal(-jumpMs);
      machine.restart();
      expect(machine.isTrusted, 'after a restart of the process').to.equal(false);
      machine.pass(HOUR_MS);
      expect(machine.isTrusted).to.equal(false);
      machine.wallMs -= jumpMs;
      expect(machine.isTrusted).to.equal(true);
      expect(machine.correctionMs).to.equal(0);
    });
  }

  it('ends for a jump while no process ran', () => {
    using machine = new Machine();
    expect(machine.isTrusted).to.equal(true);
    machine.pass(HOUR_MS);
    machine.wallMs += 35 * DAY_MS;
    machine.restart();
    expect(machine.isTrusted).to.equal(false);
  });

  it('comes back when the new time was kept for a day, or when the operator says so', () => {
    using machine = new Machine();
    expect(machine.isTrusted).to.equal(true);
    machine.wallMs += 35 * DAY_MS;
    expect(machine.isTrusted).to.equal(false);
    machine.pass(23 * HOUR_MS);
    expect(machine.isTrusted).to.equal(false);
    machine.wallMs += HOUR_MS;
    expect(machine.isTrusted, 'another jump').to.equal(false);
    machine.pass(23 * HOUR_MS);
    machine.restart();
    expect(machine.isTrusted).to.equal(false);
    machine.pass(HOUR_MS);
    expect(machine.isTrusted).to.equal(true);
    machine.wallMs -= DAY_MS;
    expect(machine.isTrusted).to.equal(false);
    machine.trust();
    expect(machine.isTrusted).to.equal(true);
  });

  it('believes a machine that was off for hours, and doubts one that starts with another time', () => {
    for (const [offMs, isTrusted] of [
      [3 * HOUR_MS, true],
      [-HOUR_MS, false],
      [35 * DAY_MS, false],
    ] as const) {
      using machine = new Machine();
      expect(machine.isTrusted).to.equal(true);
      machine.uptimeMs = 10_000;
      machine.wallMs += offMs;
      machine.restart();
      expect(machine.isTrusted, `${offMs} ms`).to.equal(isTrusted);
    }
  });

  it('compares no uptimes of different machines', () => {
    for (const [uptimeMs, offMs, isTrusted] of [
      [190 * DAY_MS, 6 * HOUR_MS, true],
      [190 * DAY_MS, 3 * DAY_MS, false],
      [6 * HOUR_MS, 20 * HOUR_MS, true],
    ] as const) {
      using machine = new Machine();
      expect(machine.isTrusted).to.equal(true);
      Object.assign(machine, { name: 'b', uptimeMs, wallMs: machine.wallMs + offMs });
      expect([machine.isTrusted, machine.correctionMs]).to.deep.equal([isTrusted, 0]);
      machine.pass(HOUR_MS);
      machine.name = 'c';
      machine.pass(23 * HOUR_MS);
      expect(machine.isTrusted, 'held over two machines').to.equal(isTrusted);
    }
  });
});
