import type { BatchStore } from '../../batches/batch-store.ts';
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import type { Slots } from '../slots.ts';

/** Each upload holds a connection, and up to one chunk of rows in memory. A customer may have many keys. */
export const UPLOADS = {
  most: 16,
  mostEach: 4,
  messages: { each: 'this client sends 4 batches already', all: 'too many batches are being sent' },
};

/** What the routes of batches need. */
export interface BatchContext {
  readonly store: BatchStore;
  readonly uploads: Slots;
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
