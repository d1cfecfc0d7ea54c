/** Serves as `land-lookup serve` does, but waits for its Redis for as long as a slow machine needs: else the process counts by itself meanwhile. */
import { readConfig } from '../../../src/config.ts';
import { createServiceLogger } from '../../../src/core/settings/logger.ts';
import { startService } from '../../../src/service.ts';
import { PATIENT_REDIS } from './patience.ts';

const service = await startService(readConfig(), { logger: createServiceLogger('info'), ...PATIENT_REDIS });
process.once('SIGTERM', () => {
  void service[Symbol.asyncDispose]();
});
