import type { ImportProgress } from '../../messages/import.ts';
import { grouped } from '../../words.ts';
import type { RetryPolicy } from '../outbound/retry.ts';

/** Where progress is shown: a terminal, or a log that gets plain lines. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'columns'> & { readonly isTTY?: boolean };

type Rows = Extract<ImportProgress, { kind: 'rows' }>;

const BAR_CELLS = 24;

/** Shortest time between two lines about reading in a log. */
const LOG_INTERVAL_MS = 10_000;

/** ECMA-48: one line up. */
const LINE_UP = '\u001b[A';

/** Shows an import's progress: bars on a terminal (one per data set and one in total), otherwise lines. */
export class ProgressDisplay {
  readonly #output: Pick<Output, 'columns' | 'isTTY'>;
  readonly #write: (text: string) => void;
  /** When something was written last. */
  #wroteMs = performance.now();
  #reading: { readonly name: string; readonly startMs: number; loggedMs: number } | null = null;
  #overallStartMs: number | null = null;
  /** Number of lines that the bars take on the terminal; the cursor is in the first. */
  #lines = 0;

  constructor(output: Output) {
    this.#output = output;
    this.#write = (text) => {
      this.#wroteMs = performance.now();
      output.write(text);
    };
  }

  readonly show = (progress: ImportProgress): void => {
    if (progress.kind === 'step') {
      this.end();
      this.#write(`${progress.text}\n`);
      return;
    }
    const nowMs = performance.now();
    if (this.#reading?.name !== progress.name) {
      this.end();
      this.#reading = { name: progress.name, startMs: nowMs, loggedMs: nowMs };
    }
    const bars = this.#bars(progress, nowMs);
    if (this.#output.isTTY === true) {
      this.#draw(bars);
    } else if (progress.done === progress.total || nowMs - this.#reading.loggedMs >= LOG_INTERVAL_MS) {
      this.#reading.loggedMs = nowMs;
      this.#write(`${bars.join('; ')}\n`);
    }
  };

  /** Writes a line in between; the bars go on below it. */
  note(text: string): void {
    if (this.#output.isTTY === true) this.#write('\n'.repeat(this.#lines));
    this.#lines = 0;
    this.#write(`${text}\n`);
  }

  /** Writes a line whenever nothing was written for so long, until it is disposed of. */
  remind(text: (seconds: number) => string, silenceMs: number): Disposable {
    const timer = setInterval(() => {
      const silentMs = performance.now() - this.#wroteMs;
      if (silentMs >= silenceMs) this.note(text(Math.round(silentMs / 1000)));
    }, silenceMs / 10);
    timer.unref();
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
      },
    };
  }

  /** Leaves the last bars on the screen. */
  end(): void {
    if (this.#reading && this.#output.isTTY === true) this.#write('\n'.repeat(this.#lines));
    this.#reading = null;
    this.#lines = 0;
  }

  #bars(progress: Rows, nowMs: number): string[] {
    const bars = [barText(progress, (nowMs - this.#reading!.startMs) / 1000)];
    if (!progress.overall) return bars;
    this.#overallStartMs ??= nowMs;
    const overall = { name: 'all data sets', ...progress.overall };
    return [...bars, barText(overall, (nowMs - this.#overallStartMs) / 1000)];
  }

  #draw(bars: readonly string[]): void {
    const width = this.#output.columns - 1;
    const lines = bars.map((bar) => `\r${bar.slice(0, width).padEnd(width)}`);
    this.#write(lines.join('\n') + LINE_UP.repeat(lines.length - 1));
    this.#lines = lines.length;
  }
}

type Bar = Pick<Rows, 'name' | 'unit' | 'done' | 'total' | 'found' | 'bytes'>;

function barText({ name, done, total, unit, found = 0, bytes }: Bar, seconds: number): string {
  const amount = unit === 'bytes' ? megabytes : count;
  const rate = seconds > 0 ? (done - found) / seconds : 0;
  const traffic = bytes === undefined ? '' : `  ${megabytes(bytes)}`;
  const speed = `${amount(rate)}/s${traffic}`;
  if (total === null) return `${name}  ${amount(done)}  ${speed}`;
  // A source may have more than it said beforehand.
  const share = total === 0 ? 1 : Math.min(1, Math.max(0, done / total));
  const cells = Math.floor(share * BAR_CELLS);
  const bar = `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}]`;
  const left = done >= total || rate <= 0 ? '' : `  ${duration((total - done) / rate)} left`;
  return `${name}  ${bar} ${Math.floor(share * 100)} %  ${amount(done)} of ${amount(total)}  ${speed}${left}`;
}

const count = (value: number): string => grouped(Math.round(value));
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** "42 s", "3 min 20 s", "1 h 5 min". */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Waits that are longer are worth a line. */
const SHORT_WAIT_MS = 5000;

/** Adds a line for each longer wait before another attempt. @param place where nothing else says what is asked: its name, and a line for the first wait too. */
export function sayingWaits(
  policy: RetryPolicy,
  display: Pick<ProgressDisplay, 'note'>,
  place: string | null = null,
): RetryPolicy {
  return {
    ...policy,
    onWait: ({ message }, waitMs, { number, of }) => {
      if (waitMs <= SHORT_WAIT_MS && (place === null || number > 1)) return;
      const asked = place === null ? '' : `${place}: `;
      display.note(`${asked}${message}: attempt ${number} of ${of}, next in ${duration(waitMs / 1000)}`);
    },
  };
}
