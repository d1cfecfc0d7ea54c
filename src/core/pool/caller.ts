import type { LookupAnswer, LookupTask } from '../../messages/lookup.ts';
import type { LookupMessages } from './lookup-messages.ts';

/** Who asks for a lookup. */
export interface Caller {
  readonly keyId: string;
  /** Says that the client has left, so that nobody waits for the answer. */
  readonly isGone: () => boolean;
  /** For rows of a batch: the messages in which they go to the threads for costly work (`BatchTurns.callerOf`). */
  readonly messages?: LookupMessages;
}

/** Looks up for a caller. */
export interface Lookups {
  /** @throws AppError as `LookupPool.lookup`. */
  lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer>;
}
