import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Database, Statement } from 'better-sqlite3';
import { DAY_MS } from '../../src/messages/time.ts';

/** The wall clock and the time since the machine started, at one moment; milliseconds. */
interface ClockReading {
  readonly wallMs: number;
  readonly uptimeMs: number;
  /** The machine that the uptime is of; null where nobody knows. */
  readonly machine: string | null;
}

/** Difference of the two within which they agree: corrections over the network stay far below. */
const TOLERANCE_MS = 2 * 60_000;

/** A wall clock that jumped is believed after it kept pace for this time. */
const HOLD_MS = DAY_MS;

/** Time that a machine may be off without a doubt about its clock. */
const MAX_OFF_MS = DAY_MS;

/** Interval of the remembered readings while the clocks agree. */
const REMEMBER_MS = 60_000;

type Name = 'trusted' | 'doubtful';

/**
 * Says whether the wall clock can be trusted: whether as much time passed on it as on the machine's monotonic clock. The last good reading
 * is in the journal, so all processes of the machine judge alike, and a restart does not hide a jump (docs/decisions/0022).
 */
export class WallClock {
  readonly #read: () => ClockReading;
  readonly #get: Statement<[Name], ClockReading>;
  readonly #put: Statement<[Name, number, number, string | null]>;
  readonly #settle: Statement<[]>;
  #isTrusted = true;
  #correctionMs = 0;
  #nowMs = 0;

  constructor(db: Database, read: () => ClockReading = readClocks) {
    this.#read = read;
    this.#get = db.prepare('SELECT wall_ms AS wallMs, uptime_ms AS uptimeMs, machine FROM clock WHERE name = ?');
    this.#put = db.prepare('INSERT OR REPLACE INTO clock (name, wall_ms, uptime_ms, machine) VALUES (?, ?, ?, ?)');
    this.#settle = db.prepare(`DELETE FROM clock WHERE name = 'doubtful'`);
  }

  /** As of the last `check`. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Milliseconds that the wall clock is ahead; below 0 it is behind. Null while it is trusted, or nobody knows because the machine was off. */
  get aheadMs(): number | null {
    return this.#correctionMs === 0 ? null : -this.#correctionMs;
  }

  /** Milliseconds from the wall clock to the time as it would be without the jump; 0 while the clock is trusted. */
  get correctionMs(): number {
    return this.#correctionMs;
  }

  /** The time of the last `check`, corrected. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Returns the time of the last `check`, or the given time of the wall clock, corrected. */
  timeOf(wallMs: number | undefined): number {
    return wallMs === undefined ? this.#nowMs : wallMs + this.#correctionMs;
  }

  /** Compares the clocks; call it before each use. */
  check(): void {
    const now = this.#read();
    this.#judge(now);
    this.#nowMs = now.wallMs + this.#correctionMs;
  }

  #judge(now: ClockReading): void {
    const trusted = this.#get.get('trusted');
    if (!trusted || agree(trusted, now) || this.#hasHeld(now)) {
      this.#trust(now, trusted);
      return;
    }
    this.#isTrusted = false;
    const elapsedMs = now.uptimeMs - trusted.uptimeMs;
    this.#correctionMs = isOtherBoot(trusted, now) ? 0 : trusted.wallMs + elapsedMs - now.wallMs;
  }

  /** Believes the wall clock as it is from now on. */
  trust(): void {
    this.#trust(this.#read(), undefined);
  }

  #trust(now: ClockReading, before: ClockReading | undefined): void {
    const isRecent =
      before !== undefined && !isOtherBoot(before, now) && Math.abs(now.uptimeMs - before.uptimeMs) < REMEMBER_MS;
    if (isRecent && this.#isTrusted) return;
    this.#put.run('trusted', now.wallMs, now.uptimeMs, now.machine);
    this.#settle.run();
    this.#isTrusted = true;
    this.#correctionMs = 0;
  }

  /** Says whether the wall clock kept pace for long enough since it jumped; remembers since when. */
  #hasHeld(now: ClockReading): boolean {
    const since = this.#get.get('doubtful');
    const keptPace = since !== undefined && !isOtherBoot(since, now) && agree(since, now);
    if (!keptPace) this.#put.run('doubtful', now.wallMs, now.uptimeMs, now.machine);
    return keptPace && now.uptimeMs - since.uptimeMs >= HOLD_MS;
  }
}

function agree(before: ClockReading, now: ClockReading): boolean {
  const wallMs = now.wallMs - before.wallMs;
  const elapsedMs = now.uptimeMs - before.uptimeMs;
  if (isOtherBoot(before, now)) return wallMs >= -TOLERANCE_MS && wallMs <= MAX_OFF_MS;
  return Math.abs(wallMs - elapsedMs) <= TOLERANCE_MS;
}

/** The machine was started again, or the journal came to another one: nobody knows how much time passed on their uptimes. */
function isOtherBoot(before: ClockReading, now: ClockReading): boolean {
  const isOtherMachine = before.machine !== null && now.machine !== null && before.machine !== now.machine;
  return isOtherMachine || now.uptimeMs < before.uptimeMs;
}

/** systemd's name of the machine (man 5 machine-id). The unit of the service hides the kernel's name of its start. */
const machine = machineId();

function machineId(): string | null {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** The uptime also counts while the machine sleeps, and is the same for all processes. */
function readClocks(): ClockReading {
  return { wallMs: Date.now(), uptimeMs: Math.round(uptime() * 1000), machine };
}
