/** What `GET /api/layers` answers: what every key means, what it can be, and where the answer comes from. */
import { Type } from 'typebox';
import { kindDescriptionMembers, type LayerGroup } from '../../catalogue/kinds/kind.ts';
import { catalogueKinds, type CatalogueKinds } from '../../catalogue/kinds/kinds.ts';
import { bothLanguages, readerSchema } from '../../catalogue/reader.ts';
import type { AsOfSource } from '../manifest.ts';
import { closed, nullable, oneOf, type Described } from '../../schema.ts';

const text = Type.String();
const day = Type.String({ format: 'date' });
const sample = Type.Boolean({ description: 'True for the invented sample data, which are not real.' });

export const announcedChange = closed({
  from: nullable(Type.String({ format: 'date', description: 'The first day; null where it is not known.' })),
  ...bothLanguages.properties,
  url: Type.String({ description: 'Where it is described.' }),
});

export const sourceUntilSchema = nullable(
  closed(
    {
      day: Type.String({ format: 'date', description: 'The last day that the data tell of; asOf is never later.' }),
      stated: Type.String({ description: 'Where that stands.' }),
    },
    { description: 'How old the data themselves are, where their source says so.' },
  ),
);

const dataSet = closed({
  id: Type.String({ description: 'The key in dataAsOf.' }),
  title: text,
  publisher: text,
  french: Type.Union([closed({ publisher: text }), Type.Null()], {
    description: 'Names in French; null where the definition has none.',
  }),
  limits: Type.Array(bothLanguages, { description: 'What the data do not say, for people.' }),
  announced: Type.Array(announcedChange, { description: 'Changes that are announced, for people.' }),
  provenance: Type.Array(text, { description: 'What is not confirmed of the source, for operators.' }),
  sample,
  licence: closed({ id: text, url: nullable(text) }),
  attribution: Type.String({ description: 'Show this beside the data: the licence requires it.' }),
  state: oneOf(['loaded', 'not_loaded'], { description: 'not_loaded: its answers are null.' }),
  asOf: nullable(day),
  sourceUntil: sourceUntilSchema,
  asOfFrom: Type.Unsafe<AsOfSource | null>(nullable(Type.String({ description: 'How the date was found.' }))),
  importedAt: nullable(text),
  coverage: nullable(oneOf(['province', 'features', 'area'])),
  featureCount: nullable(Type.Integer({ minimum: 0 })),
});
export type DataSetDescription = Described<typeof dataSet>;

const layer = closed({
  key: text,
  title: text,
  description: text,
  french: Type.Unsafe<{ title: string; description: string } | null>({
    type: ['object', 'null'],
    properties: { title: text, description: text },
  }),
  group: Type.Unsafe<LayerGroup>(text),
  reader: Type.Union([readerSchema, Type.Null()], { description: 'What the answer means for a reader.' }),
  kind: oneOf(Object.keys(catalogueKinds) as (keyof CatalogueKinds)[]),
  further: Type.Boolean({
    description: 'True: a lookup answers it only where its parameter `layers` asks for it.',
  }),
  ...kindDescriptionMembers,
  dataSets: Type.Array(dataSet, { minItems: 1 }),
});
export type LayerDescription = Described<typeof layer>;

export const layersSchema = closed({
  snapshot: closed({ id: text, createdAt: Type.String({ format: 'date-time' }), sample }),
  layers: Type.Array(layer),
  /** The address register, null when none is loaded. */
  addresses: Type.Union([
    closed({
      title: text,
      publisher: text,
      licence: text,
      attribution: text,
      // The contract allows null; a register that is loaded has a date.
      asOf: Type.Unsafe<string>(nullable(day)),
      sample,
    }),
    Type.Null(),
  ]),
});
export type LayersBody = Described<typeof layersSchema>;
