import { Type, type TSchema } from 'typebox';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { AnswerDefinition } from '../../catalogue/definition.ts';
import { closed, type Schema } from '../../schema.ts';
import { areaComponents, areaLookupSchema } from '../../messages/wire/area-lookup.ts';
import { evidenceSchema, fullLookupSchema, layersEvidenceSchema } from '../../messages/wire/full-lookup.ts';
import { geocodeSchema } from '../../messages/wire/geocode.ts';
import { lookupSchema } from '../../messages/wire/lookup.ts';
import { nearGeometrySchema } from '../../messages/wire/near-geometry.ts';
import { fullPointLookupSchema, pointGeocodeSchema, pointLookupSchema } from '../../messages/wire/point-lookup.ts';
import { areaLayerSchema, layerSchema, type LayerExamples } from './layer-schemas.ts';

/** Components of the 200 answers to lookups of addresses, of points and of areas, and their parts. */
export function lookupSchemas(
  { answers, further, dataSets }: Catalogue,
  examples: LayerExamples,
): Readonly<Record<string, TSchema>> {
  const layers = byKey({ answers, further }, (answer) => layerSchema(answer, examples));
  const areaLayers = byKey({ answers, further }, (answer) => areaLayerSchema(answer));
  const dates = Object.fromEntries(
    dataSets
      .filter(({ id }) => id !== 'province')
      .map(({ id, title }) => [id, Type.Optional(Type.String({ format: 'date', description: title }))]),
  );
  return {
    Lookup: lookupSchema,
    FullLookup: fullLookupSchema,
    PointLookup: pointLookupSchema,
    FullPointLookup: fullPointLookupSchema,
    Layers: closed(layers, {
      description: 'All layers, in a fixed order, then the further ones that were asked for. Null is never "no".',
    }),
    AreaLookup: areaLookupSchema,
    AreaLayers: closed(areaLayers, {
      description:
        'All layers, in a fixed order, then the further ones that were asked for: what `Layers` says of each, for the parts of an area. Null: nothing is known of the layer anywhere in the area.',
    }),
    DataAsOf: closed(dates, {
      description: 'Date of each loaded data set; a data set without data has no key.',
    }),
    ...areaComponents,
    LayersEvidence: layersEvidenceSchema({
      keys: answers.map(({ answer }) => answer.key),
      furtherKeys: further.map(({ answer }) => answer.key),
    }),
    Evidence: evidenceSchema,
    Geocode: geocodeSchema,
    PointGeocode: pointGeocodeSchema,
    NearGeometry: nearGeometrySchema,
  };
}

/** Returns the schemas by layer key; those of further answers are optional. */
function byKey(
  { answers, further }: Pick<Catalogue, 'answers' | 'further'>,
  schemaOf: (answer: AnswerDefinition) => Schema,
): Readonly<Record<string, TSchema>> {
  const own = answers.map(({ answer }): [string, TSchema] => [answer.key, Type.Unsafe(schemaOf(answer))]);
  const optional = further.map(({ answer }): [string, TSchema] => [
    answer.key,
    Type.Optional(Type.Unsafe(schemaOf(answer))),
  ]);
  return Object.fromEntries([...own, ...optional]);
}
