/** What `POST /api/lookup` answers. */
import { Type } from 'typebox';
import { closed, reference, type Described } from '../../schema.ts';
import { placeMembers } from './geocode.ts';

/** A layer's value. Its schema depends on the layer's definition (src/core/openapi/lookup-schemas.ts). */
export type LayerValue = boolean | string | null | Readonly<Record<string, string | number | null>>;

/** Members of short and of full answers. */
export const lookupMembers = {
  address: Type.String({
    description:
      'The resolved address in canonical form. It may differ from the request: show it to the person who asked.',
  }),
  ...placeMembers,
  layers: reference<Record<string, LayerValue>>('Layers'),
  dataAsOf: reference<Record<string, string>>('DataAsOf'),
};

export const lookupSchema = closed(lookupMembers, { description: 'Answer of a lookup.' });
export type LookupBody = Described<typeof lookupSchema>;
