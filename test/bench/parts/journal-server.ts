/** The service, with its usage journal or, after the argument `off`, with one that keeps nothing. For `make bench NAME=journal` alone. */
import { Journal } from '../../../src/core/usage/journal.ts';
import { readConfig } from '../../../src/config.ts';
import { createServiceLogger } from '../../../src/core/settings/logger.ts';
import { startService } from '../../../src/service.ts';

if (process.argv[2] === 'off') keepNoUsage();
const logger = createServiceLogger('info');
const service = await startService(readConfig(), { logger });
console.log(JSON.stringify({ url: service.url }));
process.once('SIGTERM', () => process.exit());

/** The product has no switch for this, and must not have one. */
function keepNoUsage(): void {
  const write = Object.getOwnPropertyDescriptor(Journal.prototype, 'do')!.value as Journal['do'];
  Journal.prototype.do = function (this: Journal, name, input) {
    return name === 'record'
      ? Promise.resolve({ month: '', lookups: 0, isRecorded: true } as never)
      : write.call(this, name, input);
  };
}
