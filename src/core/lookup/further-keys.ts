import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { LookupDetail } from '../../messages/lookup.ts';
import { badRequest, cutShort } from '../../messages/problems.ts';

/** Returns the keys of the answers that are given to those alone who ask for them. */
export function furtherKeysOf({ further }: Pick<Catalogue, 'further'>): readonly string[] {
  return further.map(({ answer }) => answer.key);
}

/**
 * Reads which further answers are asked for: `all`, or keys with commas between them; none when undefined.
 * @throws AppError BAD_REQUEST that lists the keys.
 */
export function furtherOf(
  asked: string | undefined,
  furtherKeys: readonly string[],
  param = 'layers',
): Pick<LookupDetail, 'further'> {
  if (asked === undefined) return {};
  const wanted = asked === 'all' ? furtherKeys : asked.split(',').map((key) => key.trim());
  const unknown = wanted.find((key) => !furtherKeys.includes(key));
  if (unknown !== undefined) {
    const keys = furtherKeys.length === 0 ? 'there are none' : `there are: ${furtherKeys.join(', ')}`;
    throw badRequest(`"${cutShort(unknown)}" is no key of a further answer; ${keys}`, { param });
  }
  const further = furtherKeys.filter((key) => wanted.includes(key));
  return further.length > 0 ? { further } : {};
}

/** Returns the answers of a lookup that asks for these further ones, in their order. */
export function withFurther(
  { answers, further }: Pick<Catalogue, 'answers' | 'further'>,
  keys: readonly string[] = [],
): Pick<Catalogue, 'answers'> {
  return { answers: [...answers, ...further.filter(({ answer }) => keys.includes(answer.key))] };
}
