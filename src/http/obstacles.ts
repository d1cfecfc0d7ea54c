import type { UnavailableReason } from '../shared/reasons.ts';

/** Why a process cannot answer lookups of addresses, in the words of answers with 503, and what an operator does about it. */
export const obstacleHelp = {
  STOPPING: 'the process is stopping',
  TOO_LATE:
    'the lookup threads do not answer in time: the machine is too busy, its disk is too slow, or a lookup hangs (see the log and pool.hungThreads); a thread that hangs is replaced after ten times LOOKUP_DEADLINE_MS',
  DATA_UNREADABLE: 'a lookup in the snapshot in service fails: run "land-lookup snapshot verify"',
  NO_REGISTER:
    'the snapshot in service has no address register: run "land-lookup load-addresses", or put another one into service ("land-lookup snapshot list", "land-lookup snapshot use")',
  KEYS_UNREACHABLE:
    'the key store does not answer, and this machine remembers no key: check REDIS_URL and Redis, or the file accounts.sqlite',
  STORAGE_FULL: 'lookups cannot be recorded, because the disk of DATA_DIR is full (df): make room',
  STORAGE_UNREACHABLE:
    'lookups cannot be recorded: check whether the disk of DATA_DIR is read-only or failing (findmnt, dmesg)',
  GEOCODER_UNREACHABLE: 'the geocoder of GEOCODER has never answered: check GEOCODER_URL, GEOCODER_KEY and the network',
} as const satisfies Partial<Record<UnavailableReason, string>> & { readonly STOPPING: string };

export type Obstacle = keyof typeof obstacleHelp;
