import type { ChunkQueue } from './chunk-queue.ts';
import type { Objects } from './objects.ts';
import type { Records } from './records.ts';

/** What the work on batches of many machines is done with. */
export interface BucketParts {
  readonly objects: Objects;
  readonly records: Records;
  readonly queue: ChunkQueue;
  /** Time for which results are kept after the end of a batch. */
  readonly retentionMs: number;
  /** Time after which a chunk of a machine that is silent is given to another. */
  readonly lockMs: number;
  /** Time after which another machine bills a chunk instead of one that stopped just before. */
  readonly takeOverMs: number;
  /** Time after which the batches of a snapshot that no machine has fail. */
  readonly snapshotGoneMs: number;
  /** The clock of a machine that is further ahead of Redis's deletes nothing before its time. */
  readonly mostAheadMs: number;
  /** Is told of what a later attempt does, of this machine or another. */
  readonly onError: (cause: Error) => void;
}
