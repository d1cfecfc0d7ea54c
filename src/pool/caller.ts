import type { LookupAnswer, LookupTask } from '../shared/contract/lookup.ts';

/** Who asks for a lookup. */
export interface Caller {
  readonly keyId: string;
  /** Says that the client has left, so that nobody waits for the answer. */
  readonly isGone: () => boolean;
}

/** Looks up for a caller. */
export interface Lookups {
  /** @throws AppError as `LookupPool.lookup`. */
  lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer>;
}
