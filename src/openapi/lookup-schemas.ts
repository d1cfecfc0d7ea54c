import type { TSchema } from 'typebox';
import { Type } from '../shared/schema-builders.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { closed } from '../shared/schema.ts';
import { areaComponents, areaLookupSchema } from '../shared/wire/area-lookup.ts';
import { evidenceSchema, fullLookupSchema, layersEvidenceSchema } from '../shared/wire/full-lookup.ts';
import { geocodeSchema } from '../shared/wire/geocode.ts';
import { lookupSchema } from '../shared/wire/lookup.ts';
import { nearGeometrySchema } from '../shared/wire/near-geometry.ts';
import { fullPointLookupSchema, pointGeocodeSchema, pointLookupSchema } from '../shared/wire/point-lookup.ts';
import { areaLayerSchema, layerSchema, type LayerExamples } from './layer-schemas.ts';

/** Components of the 200 answers to lookups of addresses, of points and of areas, and their parts. */
export function lookupSchemas(
  { answers, dataSets }: Catalogue,
  examples: LayerExamples,
): Readonly<Record<string, TSchema>> {
  const layers = Object.fromEntries(answers.map(({ answer }) => [answer.key, layerSchema(answer, examples)]));
  const areaLayers = Object.fromEntries(answers.map(({ answer }) => [answer.key, areaLayerSchema(answer)]));
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
    Layers: closed(layers, { description: 'All layers, in a fixed order. Null is never "no".' }),
    AreaLookup: areaLookupSchema,
    AreaLayers: closed(areaLayers, {
      description:
        'All layers, in a fixed order: what `Layers` says of each, for the parts of an area. Null: nothing is known of the layer anywhere in the area.',
    }),
    DataAsOf: closed(dates, {
      description: 'Date of each loaded data set; a data set without data has no key.',
    }),
    ...areaComponents,
    LayersEvidence: layersEvidenceSchema(Object.keys(layers)),
    Evidence: evidenceSchema,
    Geocode: geocodeSchema,
    PointGeocode: pointGeocodeSchema,
    NearGeometry: nearGeometrySchema,
  };
}
