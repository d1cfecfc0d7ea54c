import { Writable } from 'node:stream';
import { createLogger, format, transports, type Logger } from 'winston';
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

/** Writes what winston gives it at once, behind the lines that wait for the end of the turn: a write takes longer than a line. */
class Lines extends Writable {
  readonly #output: NodeJS.WritableStream;
  #text = '';

  constructor(output: NodeJS.WritableStream) {
    super({ decodeStrings: false });
    this.#output = output;
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
    this.#output.write(text);
  };

  override _write(line: string, _encoding: string, done: () => void): void {
    this.flush();
    this.#output.write(line);
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
