/** The member `explained` of answers: what a lookup has found, in words for a reader. */
import { Type } from 'typebox';
import { closed, mapOf, nullable, type Described } from '../../schema.ts';

const law = closed(
  { name: Type.String(), url: Type.String() },
  { description: 'The law, plan or guideline on which it rests.' },
);

export const findingSchema = closed(
  {
    sentence: Type.String({ description: 'What is there, and what may follow from it.' }),
    law: Type.Union([law, Type.Null()]),
    who: nullable(Type.String({ description: 'Who decides, or would know.' })),
    next: nullable(Type.String({ description: 'What to do.' })),
    feedback: Type.Optional(
      Type.String({ description: 'Where to say that it is wrong. The link names the lookup, the layer and the data.' }),
    ),
  },
  { description: 'What one layer has found.' },
);
export type Finding = Described<typeof findingSchema>;

export const explainedSchema = mapOf(findingSchema, {
  description:
    'By layer: what is there or near, and hazards of which nobody knows. Hazards come first, then what restricts, what is near, and what names the place.',
});
export type Explained = Readonly<Record<string, Finding>>;

/** What is asked of whatever writes the member. */
export interface AskedWords {
  readonly language: 'en' | 'fr';
  /** Where findings can be said to be wrong; null: nowhere. */
  readonly feedbackUrl: string | null;
}

/** Findings of a tool's answer by the characters to which its other texts are cut. No sentence about a law is cut in the middle. */
const MOST_FINDINGS: Readonly<Record<number, number>> = { 200: 8, 80: 6, 30: 4 };

/** Returns what a tool tells of the findings: those from which something follows, the first of them where the answer is long. */
export function findingsWithin({ explained }: { readonly explained?: Explained }, longest: number): object {
  if (explained === undefined) return {};
  const all = Object.entries(explained).filter(([, { law, next }]) => law !== null || next !== null);
  const told = all.slice(0, MOST_FINDINGS[longest] ?? all.length);
  const left = all.slice(told.length).map(([key]) => key);
  return { explained: Object.fromEntries(told), ...(left.length > 0 ? { explainedNot: left } : {}) };
}
