import { Writable } from 'node:stream';
import { createLogger, format, transports, type Logger } from 'winston';
import { adviceFor } from '../../messages/stores.ts';
import type { Config } from './config.ts';

/** Winston's logger, with a short way for the one line that each request has. */
export interface ServiceLogger extends Logger {
  /** Writes a line of finished JSON, together with the others of the same turn of the event loop. */
  writeLine(level: 'info' | 'error', line: string): void;
}

/**
 * Makes a logger of JSON lines on standard output. It writes no files: the operator decides about files and rotation.
 */
export function createServiceLogger(
  level: Config['logLevel'],
  output: NodeJS.WritableStream = process.stdout,
): ServiceLogger {
  const lines = new Lines(output);
  const logger = createLogger({
    level,
    format: jsonLines(),
    transports: [new transports.Stream({ stream: lines })],
    exitOnError: false,
  });
  const writeLine: ServiceLogger['writeLine'] = (lineLevel, line) => {
    if (logger.isLevelEnabled(lineLevel)) lines.add(line);
  };
  return Object.assign(logger, { writeLine });
}

/** Lines of the turn that are not written yet. Whatever ends the process in an orderly way, or by an error that nobody caught, writes them. */
const unwritten = new Set<Lines>();

process.on('exit', () => {
  for (const lines of unwritten) lines.flush();
});

/**
 * Writes what winston gives it at once, behind the lines that wait for the end of the turn: a write takes longer than a line. Lines that cannot be
 * written, as on a full disk, are lost: lookups are answered all the same. The first line afterwards says since when.
 */
class Lines extends Writable {
  readonly #output: NodeJS.WritableStream;
  #text = '';
  /** When the first of the last writes failed, and why. */
  #lost: { readonly since: string; readonly detail: string } | null = null;

  constructor(output: NodeJS.WritableStream) {
    super({ decodeStrings: false });
    this.#output = output;
    // Without a listener the error would end the process.
    output.on('error', (cause: Error) => {
      if (this.#lost !== null) return;
      const advice = adviceFor(cause);
      const detail = `${cause.message}${advice === null ? '' : `: ${advice}`}`;
      this.#lost = { since: new Date().toISOString(), detail };
      process.stderr.write(`land-lookup: the log is lost, and requests are answered all the same: ${detail}\n`);
    });
    // Nowhere is left to say it.
    if (output === process.stdout) process.stderr.on('error', () => undefined);
  }

  add(line: string): void {
    if (this.#text === '') {
      unwritten.add(this);
      setImmediate(this.flush);
    }
    this.#text += `${line}\n`;
  }

  readonly flush = (): void => {
    const text = this.#text;
    if (text === '') return;
    this.#text = '';
    unwritten.delete(this);
    this.#write(text);
  };

  #write(text: string): void {
    const lost = this.#lost;
    if (lost === null) this.#output.write(text);
    else
      // Part of a line may have been written.
      this.#output.write(`\n${text}`, (fault) => {
        if (!fault) this.#wroteAgain(lost);
      });
  }

  #wroteAgain(lost: object): void {
    // Of several writes that succeed, the first one.
    if (this.#lost !== lost) return;
    this.#lost = null;
    const line = { timestamp: new Date().toISOString(), level: 'warn', message: 'lines of the log were lost', ...lost };
    this.#output.write(`${JSON.stringify(line)}\n`);
  }

  override _write(line: string, _encoding: string, done: () => void): void {
    this.flush();
    this.#write(line);
    done();
  }
}

/** Where winston's transports look for the text of a line. */
const MESSAGE = Symbol.for('message');

/** One step in place of winston's two, which take three times as long for each request: they sort the members and look for circles. */
const jsonLines = format((info) => {
  info[MESSAGE] = JSON.stringify({ timestamp: new Date().toISOString(), ...info });
  return info;
});
