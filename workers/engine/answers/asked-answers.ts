import type { Catalogue } from '../../../src/catalogue/catalogue.ts';

/** Returns the answers with these keys, in their order. */
export function answersOf(answers: Catalogue['answers'], keys: readonly string[] = []): Catalogue['answers'] {
  return answers.filter(({ answer }) => keys.includes(answer.key));
}
