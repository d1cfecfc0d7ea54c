import type { Config } from '../../../src/core/settings/config.ts';
import { type ServicesOptions, startService, type Service } from '../../../src/service.ts';
import { openJournalHere } from './journal-here.ts';
import { servesSharedSample, sharedSample } from './snapshots.ts';

/**
 * The whole service in this process. Its journal is in the thread of the test, and it has no lookup threads of its own when it serves the sample that all
 * tests share: a start costs a tenth of a second then.
 */
export async function startHere(config: Config, options: ServicesOptions): Promise<Service> {
  const shared = servesSharedSample(config.dataDir) ? { snapshots: await sharedSample() } : {};
  return startService(config, {
    ...options,
    startsLate: true,
    openJournal: ({ dataDir }) => openJournalHere(dataDir),
    overrides: { ...shared, ...options.overrides },
  });
}
