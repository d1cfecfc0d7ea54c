import type { QuestionClass } from '../question.ts';
import { wayClasses } from '../ways/all.ts';
import { directions } from './directions.ts';
import { namesakes } from './namesakes.ts';
import { numbers } from './numbers.ts';
import { places } from './places.ts';
import { plain } from './plain.ts';
import { refusedClasses } from './refused.ts';
import { roads } from './roads.ts';
import { twoNumbers } from './two-numbers.ts';

export const questionClasses: readonly QuestionClass[] = [
  ...[plain, places, namesakes, directions, numbers, roads, twoNumbers, refusedClasses].flat(),
  ...wayClasses,
];
