/** What a layer says of an area, in a sentence. */
import type { AnswerDefinition, ProximityAnswer } from '../../src/catalogue/definition.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { isRule, limitOf, type Told } from './place-sentence.ts';
import { texts, type Language } from './texts.ts';
import { fill, metres, nameOf, percent, valueInWords } from './words.ts';

/** Shares have four decimals. */
const LEAST_SHARE = 0.00005;
/** Most values that a sentence names. */
const MOST_PARTS = 3;

export interface Part {
  readonly value: NonNullable<LayerValue>;
  readonly share: number;
}

/** The value of a layer for an area, of any kind. */
export interface Shares {
  readonly share?: number;
  readonly parts?: readonly Part[];
  readonly bands?: Readonly<Record<'inside' | 'regulated' | 'adjacent', number>>;
  readonly distanceM?: number | null;
  readonly unknownShare: number;
}

/** Returns null where the layer has found nothing, and is no hazard of which nobody knows. */
export function areaSentence(answer: AnswerDefinition, value: AreaValue, language: Language): Told | null {
  const shares = value as unknown as Shares | null;
  const found = shares && foundIn(answer, shares, language);
  const unknownShare = shares?.unknownShare ?? 1;
  const isHazard = answer.reader?.concern === 'hazard';
  if (!isHazard || unknownShare < LEAST_SHARE) return found === null ? null : { sentence: found, isFound: true };
  const { unknownArea, partlyUnknown } = texts[language];
  const rest = unknownShare > 1 - LEAST_SHARE ? [] : [fill(partlyUnknown, { share: percent(language, unknownShare) })];
  const first = found ?? fill(unknownArea, { name: nameOf(answer, language) });
  return { sentence: [first, ...rest].join(' '), isFound: found !== null };
}

function foundIn(answer: AnswerDefinition, value: Shares, language: Language): string | null {
  const said = texts[language];
  const name = nameOf(answer, language);
  switch (answer.kind) {
    case 'boolean': {
      const { share = 0 } = value;
      return share < LEAST_SHARE ? null : fill(said.share, { name, share: percent(language, share) });
    }
    case 'value':
    case 'object':
      return partsIn(value.parts ?? [], { name, language });
    case 'count': {
      const counts = value as unknown as Readonly<Record<string, number>>;
      const { count = 0, [answer.members.count]: around = 0 } = counts;
      const limit = metres(language, answer.radiusM);
      return around === 0 ? null : fill(said.countArea, { name, count, around, limit });
    }
    case 'proximity':
      return nearnessIn(answer, value, language);
  }
}

function partsIn(
  parts: readonly Part[],
  { name, language }: { readonly name: string; readonly language: Language },
): string | null {
  if (parts.length === 0) return null;
  const { parts: form, part, more } = texts[language];
  const told = parts
    .slice(0, MOST_PARTS)
    .map(({ value, share }) => fill(part, { value: valueInWords(value, language), share: percent(language, share) }));
  const left = parts.length - told.length;
  return fill(form, { name, parts: [...told, ...(left > 0 ? [fill(more, { n: left })] : [])].join(', ') });
}

const NOWHERE = { inside: 0, regulated: 0, adjacent: 0 };

function nearnessIn(answer: ProximityAnswer, { bands, distanceM = null }: Shares, language: Language): string | null {
  const { share, meets, ruledArea, nearArea } = texts[language];
  const name = nameOf(answer, language);
  const { inside, regulated, adjacent } = bands ?? NOWHERE;
  if (inside >= LEAST_SHARE) return fill(share, { name, share: percent(language, inside) });
  if (distanceM === 0) return fill(meets, { name });
  if (distanceM === null || regulated + adjacent < LEAST_SHARE) return null;
  const distance = metres(language, distanceM);
  const limitM = regulated >= LEAST_SHARE && isRule(answer) ? limitOf(answer, 'regulated', distanceM) : null;
  if (limitM === null) return fill(nearArea, { name, distance });
  return fill(ruledArea, { name, distance, share: percent(language, regulated), limit: metres(language, limitM) });
}
