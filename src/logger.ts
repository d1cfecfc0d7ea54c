import { createLogger, format, transports, type Logger } from 'winston';
import type { Config } from './config.ts';

/**
 * Makes a logger of JSON lines on standard output. It writes no files: the operator decides about files and rotation.
 */
export function createServiceLogger(level: Config['logLevel']): Logger {
  return createLogger({
    level,
    format: format.combine(format.timestamp(), format.json()),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston types an interface for its class
    transports: [new transports.Console()],
    exitOnError: false,
  });
}
