import type { BatchStore } from '../../batches/batch-store.ts';
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';

/** What the routes of batches need. */
export interface BatchContext {
  readonly store: BatchStore;
  readonly catalogue: Pick<Catalogue, 'answers' | 'further'>;
  /** Id of the snapshot that answers a batch which is accepted now. */
  readonly snapshotInService: () => string;
  /** Statements that the licences of a snapshot's data require. */
  readonly attributionOf: (snapshot: string) => readonly string[];
  /** Receivers of webhooks inside the operator's network. */
  readonly callbackAllowList: readonly string[];
  /** Called when there is a new batch. */
  readonly onAccepted: () => void;
}
