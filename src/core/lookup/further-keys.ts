import { Type, type TObject } from 'typebox';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { LookupDetail } from '../../messages/lookup.ts';
import { badRequest, cutShort } from '../../messages/problems.ts';
import { closed } from '../../schema.ts';

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

const layersArgument = Type.Optional(
  Type.String({ maxLength: 1000, description: 'Further answers: all, or keys with commas, as list_layers has them.' }),
);

/** The arguments of a tool that asks what a route with this body does, and for further answers. */
export function withLayers({ properties }: TObject): TObject {
  return closed({ ...properties, layers: layersArgument });
}

/** Takes `layers` out of such arguments; the rest is the body. @throws AppError BAD_REQUEST that lists the keys. */
export function splitLayers(
  args: unknown,
  furtherKeys: readonly string[],
): { readonly rest: unknown; readonly further: Pick<LookupDetail, 'further'> } {
  if (typeof args !== 'object' || args === null || !('layers' in args)) return { rest: args, further: {} };
  const { layers, ...rest } = args;
  if (typeof layers !== 'string') throw badRequest('the argument "layers" must be a text', { param: '/layers' });
  return { rest, further: furtherOf(layers, furtherKeys, '/layers') };
}
