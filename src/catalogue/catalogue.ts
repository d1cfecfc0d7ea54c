import type { AnswerDefinition, DataSetDefinition } from './definition.ts';

/** All layer definitions of a folder, checked. */
export interface Catalogue {
  readonly dataSets: readonly DataSetDefinition[];
  /** Every answer that everybody gets, with the data set it belongs to, in the order of the response. */
  readonly answers: readonly { readonly dataSet: DataSetDefinition; readonly answer: AnswerDefinition }[];
  /** Answers that are given to those alone who ask for them, in their order. */
  readonly further: Catalogue['answers'];
  /** SHA-256 of the definitions; a snapshot stores the one that it was built with. */
  readonly version: string;
}

/** Returns all answers: those that everybody gets first. */
export function allAnswers({ answers, further }: Pick<Catalogue, 'answers' | 'further'>): Catalogue['answers'] {
  return [...answers, ...further];
}

/** The data set that holds the areas of conservation authorities. */
export const authorityAreas = 'ca_admin_areas';

/** Returns the answers with these keys, in their order. */
export function answersOf(answers: Catalogue['answers'], keys: readonly string[] = []): Catalogue['answers'] {
  return answers.filter(({ answer }) => keys.includes(answer.key));
}
