/** Piscina's entry for the threads of an import: takes raw features and returns features to be stored. */
import type { PreparedBatch } from '../import/features/batch.ts';
import { prepareInput } from '../import/features/prepare-batch.ts';
import type { PrepareTask } from '../import/features/preparers.ts';

export default function prepare({ preparation, input }: PrepareTask): PreparedBatch {
  return prepareInput(preparation, input);
}
