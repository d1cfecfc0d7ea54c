import { createLogger, format, transports, type Logger } from 'winston';
import type { Config } from './config.ts';

/**
 * Makes a logger of JSON lines on standard output. It writes no files: the operator decides about files and rotation.
 */
export function createServiceLogger(level: Config['logLevel']): Logger {
  return createLogger({
    level,
    format: jsonLines(),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston types an interface for its class
    transports: [new transports.Console()],
    exitOnError: false,
  });
}

/** Where winston's transports look for the text of a line. */
const MESSAGE = Symbol.for('message');

/** One step in place of winston's two, which take three times as long for each request: they sort the members and look for circles. */
const jsonLines = format((info) => {
  info[MESSAGE] = JSON.stringify({ timestamp: new Date().toISOString(), ...info });
  return info;
});
