import type { AnswerDefinition, DataSetDefinition } from './definition.ts';

/** All layer definitions of a folder, checked. */
export interface Catalogue {
  readonly dataSets: readonly DataSetDefinition[];
  /** Every answer with the data set it belongs to, in the order of the response. */
  readonly answers: readonly { readonly dataSet: DataSetDefinition; readonly answer: AnswerDefinition }[];
  /** SHA-256 of the definitions; a snapshot stores the one that it was built with. */
  readonly version: string;
}
