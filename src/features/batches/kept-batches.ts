import type { KeptData } from '../../feature.ts';
import { cannotForgetBatches, forgetBatches, readBatches, readBatchFiles } from './store/holder-batches.ts';

/** Batches of a customer, with their files. */
export const keptBatches: KeptData = {
  noun: 'batches',
  *read(dataDir, holder) {
    for (const batch of readBatches(dataDir, holder)) {
      yield { batch };
      for (const batchFile of readBatchFiles(dataDir, batch)) yield { batchFile };
    }
  },
  cannotForget: (dataDir, holder) => cannotForgetBatches(readBatches(dataDir, holder)),
  forget: forgetBatches,
};
