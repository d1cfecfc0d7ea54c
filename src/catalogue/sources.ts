/** Where a data set comes from, as the files in `layers/` describe it. */
import { Type } from 'typebox';
import { byKind, closed, mapOf, nullable, type Described } from '../schema.ts';
import { text } from './fields.ts';

const url = Type.String({ pattern: '^https?://' });
const someNames = (description: string) => Type.Array(text, { uniqueItems: true, description });
const renaming = (from: string) =>
  Type.Optional(mapOf(text, { description: `The ${from}'s field -> the definition's.` }));
const layerIdHint = nullable(
  Type.Integer({
    minimum: 0,
    description: 'Its id where others have seen it; ids change, so it is only a hint.',
  }),
);
const confirmed = nullable(
  Type.String({
    minLength: 1,
    description: 'Who has seen the source as it is described here, or how sure that is; null when it is inferred.',
  }),
);

const arcgisSource = closed(
  {
    kind: Type.Literal('arcgis'),
    service: Type.String({
      minLength: 1,
      description: "Path below the server's `rest/services`, for example `LIO_OPEN_DATA/LIO_Open06/MapServer`.",
    }),
    names: Type.Array(text, {
      minItems: 1,
      uniqueItems: true,
      description: "All names that the layer is known by, the service's own first.",
    }),
    layerIdHint,
    server: Type.Optional(
      Type.String({ pattern: '^https?://', description: "Root of the services; the province's when absent." }),
    ),
    where: Type.Optional(
      Type.String({
        minLength: 1,
        description: "SQL condition on the source's fields; features that do not fulfil it are not the data set's.",
      }),
    ),
    rename: renaming('service'),
    confirmed,
  },
  { description: 'A layer of an ArcGIS server.' },
);
export type ArcgisSource = Described<typeof arcgisSource>;

const packageSource = closed(
  {
    kind: Type.Literal('package'),
    code: Type.String({ pattern: '^[A-Z0-9_]+$' }),
    layer: Type.Array(text, {
      minItems: 1,
      uniqueItems: true,
      description: 'Names that the feature class may have; the first that is there is read.',
    }),
    where: Type.Optional(Type.String({ minLength: 1, description: 'OGR SQL condition, as for a file.' })),
    rename: renaming('package'),
    confirmed,
  },
  { description: 'A file geodatabase of the province, zipped: `PACKAGES_ROOT/CODE.zip`.' },
);
export type PackageSource = Described<typeof packageSource>;

const fileSource = closed(
  {
    kind: Type.Literal('file'),
    url,
    layer: Type.Optional(text),
    where: Type.Optional(text),
    crs: Type.Optional(text),
    rename: renaming('file'),
    confirmed,
  },
  { description: 'A GeoPackage, GeoJSON, Shapefile or FileGDB, zipped or not, at an address of its own.' },
);
export type FileSource = Described<typeof fileSource>;

const partKind = Type.String({
  pattern: '^[a-z][a-z_]*$',
  description:
    'What a part maps. A regulated area is no flood hazard: it holds floodplains, but also wetlands, valleys, and the land beside them, for which a permit is needed.',
});

const layerPlaceMembers = {
  server: Type.Optional(
    Type.String({ pattern: '^https?://', description: "Root of the services; the province's when absent." }),
  ),
  service: text,
  names: someNames(
    "As for an ArcGIS source. On a server that is not the province's, a layer of another name is never read. None where nobody has read them: then the id finds the layer.",
  ),
  layerIdHint,
};
const layerPlace = closed(layerPlaceMembers, { description: 'A layer of a server.' });
export type LayerPlace = Described<typeof layerPlace>;

const partCoverage = Type.Union(
  [Type.Literal('positive_only'), Type.Literal('province'), closed({ authority: text }), closed({ layer: layerPlace })],
  {
    description:
      'Where a part\'s "nothing here" means "no": in a conservation authority\'s area, first taken by its name or number from the data set `ca_admin_areas` and then stored with the part; in the polygons of another layer; nowhere (`positive_only`); or everywhere (`province`, then for all parts).',
  },
);
export type PartCoverage = Described<typeof partCoverage>;

const position = Type.Unsafe<readonly [lon: number, lat: number]>({
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: { type: 'number' },
});
const controlPoints = closed(
  {
    inside: Type.Array(position, { description: 'At least one where the part can say that there is nothing.' }),
    outside: Type.Array(position, { minItems: 1 }),
    confirmed: nullable(
      Type.String({ minLength: 1, description: 'Who has asked the service there; null when they are inferred.' }),
    ),
  },
  {
    description:
      'Places, longitude first, that are known to be inside and outside of the features. A service that answers otherwise is not used: a dead or moved one would read as "nothing here".',
  },
);
export type ControlPoints = Described<typeof controlPoints>;

const partSchema = closed(
  {
    publisher: text,
    kind: partKind,
    ...layerPlaceMembers,
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2000,
        description: 'Most features to ask for at a time, where the server stalls on more.',
      }),
    ),
    licence: closed(
      { id: nullable(text), url: nullable(Type.String({ pattern: '^https://' })) },
      { description: 'Null where nobody has read it.' },
    ),
    attribution: nullable(text),
    rename: renaming('service'),
    constants: Type.Optional(
      mapOf(text, {
        minProperties: 1,
        description: "The definition's field -> what it holds for every feature of the part.",
      }),
    ),
    asOf: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        description: "YYYY-MM-DD; the service's edit date when absent.",
      }),
    ),
    coverage: partCoverage,
    control: Type.Optional(controlPoints),
    use: Type.Union([Type.Literal(true), closed({ off: text })], {
      description: 'Whether it is fetched, and if not, why not.',
    }),
  },
  { description: "One publisher's share of a composite data set." },
);
export type SourcePart = Described<typeof partSchema>;

const compositeSource = closed(
  {
    kind: Type.Literal('composite'),
    confirmed,
    accepts: Type.Array(partKind, {
      minItems: 1,
      uniqueItems: true,
      description: 'Kinds of parts that are features of the data set; a part of another kind is listed, and off.',
    }),
    labels: Type.Optional(
      closed(
        { publisher: Type.Optional(text), kind: Type.Optional(text), asOf: Type.Optional(text) },
        { description: 'Fields of the data set that say which part a feature comes from.' },
      ),
    ),
    parts: Type.Array(partSchema),
  },
  { description: "Several publishers' shares, which are one data set together." },
);
export type CompositeSource = Described<typeof compositeSource>;

export const sourceSchema = byKind({
  arcgis: arcgisSource,
  package: packageSource,
  file: fileSource,
  composite: compositeSource,
});
export type SourceDefinition = Described<typeof sourceSchema>;
