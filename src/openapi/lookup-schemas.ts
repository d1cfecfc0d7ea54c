import Type, { type TSchema } from 'typebox';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { closed } from '../shared/schema.ts';
import { evidenceSchema, fullLookupSchema } from '../shared/wire/full-lookup.ts';
import { geocodeSchema } from '../shared/wire/geocode.ts';
import { lookupSchema } from '../shared/wire/lookup.ts';
import { nearGeometrySchema } from '../shared/wire/near-geometry.ts';
import { layerSchema, type LayerExamples } from './layer-schemas.ts';

/** Components of the lookup's 200 answers: `Lookup`, `FullLookup` and their parts. */
export function lookupSchemas(
  { answers, dataSets }: Catalogue,
  examples: LayerExamples,
): Readonly<Record<string, TSchema>> {
  const layers = Object.fromEntries(answers.map(({ answer }) => [answer.key, layerSchema(answer, examples)]));
  const dates = Object.fromEntries(
    dataSets
      .filter(({ id }) => id !== 'province')
      .map(({ id, title }) => [id, Type.Optional(Type.String({ format: 'date', description: title }))]),
  );
  return {
    Lookup: lookupSchema,
    FullLookup: fullLookupSchema(Object.keys(layers)),
    Layers: closed(layers, { description: 'All layers, in a fixed order. Null is never "no".' }),
    DataAsOf: closed(dates, {
      description: 'Date of each loaded data set; a data set without data has no key.',
    }),
    Evidence: evidenceSchema,
    Geocode: geocodeSchema,
    NearGeometry: nearGeometrySchema,
  };
}
