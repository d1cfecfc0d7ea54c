/** Piscina's entry for the threads of an import: takes raw features and returns features to be stored. */
import type { PreparedBatch } from './import/batch.ts';
import { prepareInput } from './import/prepare-batch.ts';
import type { PrepareTask } from './import/preparers.ts';

export default function prepare({ preparation, input }: PrepareTask): PreparedBatch {
  return prepareInput(preparation, input);
}
