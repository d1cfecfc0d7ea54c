import type { ImportProgress } from '../contract/import.ts';

/** Where progress is shown: a terminal, or a log that gets plain lines. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'columns'> & { readonly isTTY?: boolean };

const BAR_CELLS = 24;

/** In a log a line at most this often for what is read. */
const LOG_INTERVAL_MS = 10_000;

interface Reading {
  readonly name: string;
  readonly startMs: number;
  loggedMs: number;
}

/** Shows an import's progress: one bar that is redrawn on a terminal, lines otherwise. */
export class ProgressDisplay {
  readonly #output: Output;
  #reading: Reading | null = null;

  constructor(output: Output) {
    this.#output = output;
  }

  readonly show = (progress: ImportProgress): void => {
    if (progress.kind === 'step') {
      this.#line(progress.text);
      return;
    }
    const { name, done, total } = progress;
    const nowMs = performance.now();
    if (this.#reading?.name !== name) {
      this.end();
      this.#reading = { name, startMs: nowMs, loggedMs: nowMs };
    }
    const text = rowsText(progress, (nowMs - this.#reading.startMs) / 1000);
    if (this.#output.isTTY === true) {
      this.#output.write(`\r${text.slice(0, this.#output.columns - 1).padEnd(this.#output.columns - 1)}`);
    } else if (done === total || nowMs - this.#reading.loggedMs >= LOG_INTERVAL_MS) {
      this.#reading.loggedMs = nowMs;
      this.#output.write(`${text}\n`);
    }
  };

  /** Leaves the last bar standing. */
  end(): void {
    if (this.#reading && this.#output.isTTY === true) this.#output.write('\n');
    this.#reading = null;
  }

  #line(text: string): void {
    this.end();
    this.#output.write(`${text}\n`);
  }
}

function rowsText({ name, done, total, unit }: Extract<ImportProgress, { kind: 'rows' }>, seconds: number): string {
  const amount = unit === 'bytes' ? megabytes : count;
  const rate = seconds > 0 ? done / seconds : 0;
  const speed = `${amount(rate)}/s`;
  if (total === null) return `${name}  ${amount(done)}  ${speed}`;
  const share = total === 0 ? 1 : done / total;
  const cells = Math.floor(share * BAR_CELLS);
  const bar = `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}]`;
  const left = done === total || rate === 0 ? '' : `  ${duration((total - done) / rate)} left`;
  return `${name}  ${bar} ${Math.floor(share * 100)} %  ${amount(done)} of ${amount(total)}  ${speed}${left}`;
}

const count = (value: number): string => Math.round(value).toLocaleString('en-CA');
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** "42 s", "3 min 20 s", "1 h 5 min". */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
