/** The operations that look something up. They share everything but what is asked for. */
import type { TObject, TProperties, TSchema } from 'typebox';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { AreaLookupBody, AreaRequest } from '../../messages/wire/area-lookup.ts';
import { fullLookupSchema, type FullLookupBody } from '../../messages/wire/full-lookup.ts';
import {
  lookupSchema,
  type LayerValue,
  type LookupBody,
  idempotencyKeySchema,
  lookupQuerySchema,
  lookupRequestSchema,
} from '../../messages/wire/lookup.ts';
import {
  fullPointLookupSchema,
  pointLookupSchema,
  pointRequestSchema,
  type FullPointLookupBody,
  type PointLookupBody,
  type PointRequest,
} from '../../messages/wire/point-lookup.ts';
import { closed, type Schema } from '../../schema.ts';
import { answersTo, commonHeaders, failures, header, parameter, quotaHeaders, usageHeaders } from './responses.ts';

/** Layer key -> values that the bundled sample gives, for the examples. */
export type LayerExamples = Readonly<Record<string, readonly LayerValue[]>>;

/** Answers of the service on its bundled sample (`docs/api-examples.json`). */
export interface Examples {
  readonly address: string;
  readonly lookup: LookupBody;
  readonly fullLookup: FullLookupBody;
  readonly point: PointRequest;
  readonly pointLookup: PointLookupBody;
  readonly fullPointLookup: FullPointLookupBody;
  readonly area: AreaRequest;
  readonly areaLookup: AreaLookupBody;
  readonly layers: LayerExamples;
  /** Those of features, by their names. */
  readonly [feature: string]: unknown;
}

/** A component of the document: its name and its schema. */
type Component<S extends TSchema = TSchema> = readonly [name: string, schema: S];

/** What the document says of a way to ask for a lookup. */
interface LookupOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly does: string;
  readonly request: Component;
  readonly answer: Component<TObject>;
  /** The answer with `detail=full`. Without it there is one answer, and no detail to ask for. */
  readonly fullAnswer?: Component<TObject>;
  /** Its shorter answer may have what maps bring, too. */
  readonly mapsNeedNoDetail?: true;
  readonly examples: (examples: Examples) => {
    readonly request: object;
    readonly answer: unknown;
    readonly fullAnswer?: unknown;
  };
  /** Failures that other lookups do not have. */
  readonly refusals?: Schema;
}

export interface DocumentedLookup {
  readonly path: string;
  readonly docs: LookupOperation;
}

/** A way to ask for a lookup that a feature brings. */
export interface BroughtLookup extends DocumentedLookup {
  /** What it looks up, as in "land data for an area". */
  readonly noun: string;
  /** Members of a row of a file that asks the same. */
  readonly row: TProperties;
  /** Components that its answer refers to: those with a member for each layer, and those of their values. */
  readonly components: {
    readonly layers: (catalogue: Pick<Catalogue, 'answers' | 'further'>) => Readonly<Record<string, TSchema>>;
    readonly values: Readonly<Record<string, TSchema>>;
  };
}

/** What a feature adds to lookups for maps: the parameter `geometry`, and the member of that name of their answers. */
export interface DocumentedMaps {
  /** The parameter of lookups with `detail=full`, and of those whose answer has one detail. */
  readonly parameter: (hasDetail: boolean) => TSchema;
  readonly member: TSchema;
  /** Components that the member refers to. */
  readonly components: (lookups: readonly BroughtLookup[]) => Readonly<Record<string, TSchema>>;
}

/** A member that a feature adds to the answers of lookups, for those who ask for it. */
export interface DocumentedMember {
  /** Of the query. */
  readonly parameter: string;
  /** What the parameter takes; optional. */
  readonly asked: TSchema;
  /** Of the answer. */
  readonly name: string;
  /** The schema of the member; optional. */
  readonly answer: TSchema;
  /** Components that the member refers to. */
  readonly components?: Readonly<Record<string, TSchema>>;
}

/** What features add to the lookups that are always there. */
export interface Brought {
  readonly lookups: readonly BroughtLookup[];
  readonly maps: DocumentedMaps | null;
  readonly members: readonly DocumentedMember[];
}

export const addressLookup: DocumentedLookup = {
  path: '/api/lookup',
  docs: {
    operationId: 'lookup',
    summary: 'Look up the land data of an address',
    does: 'Resolves the address to a point and answers every layer there.',
    request: ['LookupRequest', lookupRequestSchema],
    answer: ['Lookup', lookupSchema],
    fullAnswer: ['FullLookup', fullLookupSchema],
    examples: ({ address, lookup, fullLookup }) => ({
      request: { address },
      answer: lookup,
      fullAnswer: fullLookup,
    }),
    refusals: answersTo('ADDRESS_NOT_FOUND'),
  },
};

export const pointLookup: DocumentedLookup = {
  path: '/api/lookup/point',
  docs: {
    operationId: 'lookupPoint',
    summary: 'Look up the land data of a place given by its coordinates',
    does: 'Answers every layer at the place, and names the nearest civic address within 100 m.',
    request: ['PointRequest', pointRequestSchema],
    answer: ['PointLookup', pointLookupSchema],
    fullAnswer: ['FullPointLookup', fullPointLookupSchema],
    examples: ({ point, pointLookup: answer, fullPointLookup: fullAnswer }) => ({
      request: point,
      answer,
      fullAnswer,
    }),
  },
};

/** The lookups that are always there. */
export const ownLookups: readonly DocumentedLookup[] = [addressLookup, pointLookup];

/** The paths of lookups. */
export function lookupPathsOf({ lookups, maps, members }: Brought, examples: Examples): Schema {
  return Object.fromEntries(
    [...ownLookups, ...lookups].map(({ path, docs }) => [
      path,
      {
        post: operationOf(docs, docs.examples(examples), queryParameters(queryOf(queryKindOf(docs), maps, members))),
      },
    ]),
  );
}

/** The components of the answers to lookups. Mostly only the longest answer to one may have geometry. */
export function answersOf(
  lookups: readonly DocumentedLookup[],
  { maps, members }: Pick<Brought, 'maps' | 'members'>,
): readonly Component[] {
  const added = Object.fromEntries(members.map(({ name, answer }) => [name, answer]));
  const plain = ([name, schema]: Component<TObject>): Component => [name, withMembers(schema, added)];
  const withMaps = ([name, schema]: Component<TObject>): Component => [
    name,
    withMembers(withGeometry(schema, maps), added),
  ];
  return lookups.flatMap(({ docs: { answer, fullAnswer, mapsNeedNoDetail } }): readonly Component[] => {
    if (!fullAnswer) return [withMaps(answer)];
    return [mapsNeedNoDetail ? withMaps(answer) : plain(answer), withMaps(fullAnswer)];
  });
}

function withMembers(schema: TObject, added: TProperties): TObject {
  const { properties, description } = schema as TObject & { readonly description: string };
  return closed({ ...properties, ...added }, { description });
}

/** Adds the member that maps bring to the schema of an answer. */
export function withGeometry(schema: TObject, maps: DocumentedMaps | null): TObject {
  return maps === null ? schema : withMembers(schema, { geometry: maps.member });
}

/** What the query of a lookup depends on. */
export interface QueryKind {
  /** There is a longer answer to ask for. */
  readonly hasDetail: boolean;
  /** Only the longer answer has geometry. */
  readonly mapsNeedDetail: boolean;
}

export function queryKindOf({ fullAnswer, mapsNeedNoDetail }: Omit<LookupOperation, 'examples'>): QueryKind {
  const hasDetail = fullAnswer !== undefined;
  return { hasDetail, mapsNeedDetail: hasDetail && !mapsNeedNoDetail };
}

/** The schema of the query of a lookup. */
export function queryOf(
  { hasDetail, mapsNeedDetail }: QueryKind,
  maps: Pick<DocumentedMaps, 'parameter'> | null,
  members: readonly DocumentedMember[],
): TObject {
  const more = maps === null ? {} : { geometry: maps.parameter(mapsNeedDetail) };
  return askingMembers(lookupQuerySchema(hasDetail, more), members);
}

/** Adds the parameters of members to the schema of a query. */
export function askingMembers({ properties }: TObject, members: readonly DocumentedMember[]): TObject {
  return closed({ ...properties, ...Object.fromEntries(members.map(({ parameter, asked }) => [parameter, asked])) });
}

function operationOf(
  docs: LookupOperation,
  examples: ReturnType<LookupOperation['examples']>,
  query: readonly Schema[],
): Schema {
  const { operationId, summary, does, request, answer, fullAnswer, refusals = {} } = docs;
  return {
    operationId,
    tags: ['lookup'],
    summary,
    description: `${does} Costs one unit of the hourly quota, except on 400, 402, 500 and 503; only a 200 is billed.`,
    security: [{ key: [] }],
    parameters: [...query, parameter('header', 'Idempotency-Key', idempotencyKeySchema)],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: refer(request), example: examples.request } },
    },
    responses: {
      200: {
        description: 'The answers.',
        headers: { ...quotaHeaders, ...commonHeaders, ...usageHeaders, 'Land-Vintage': header('LandVintage') },
        content: {
          'application/json': {
            schema: fullAnswer ? { anyOf: [refer(answer), refer(fullAnswer)] } : refer(answer),
            examples: {
              short: { summary: 'A lookup on the invented sample', value: examples.answer },
              ...(examples.fullAnswer
                ? { full: { summary: 'The same with detail=full', value: examples.fullAnswer } }
                : {}),
            },
          },
        },
      },
      ...failures('PAYMENT_REQUIRED', 'OUTSIDE_ONTARIO'),
      ...refusals,
    },
  };
}

const queryParameters = ({ properties }: TObject): Schema[] =>
  Object.entries(properties).map(([name, schema]) => parameter('query', name, schema));

const refer = ([name]: Component): Schema => ({ $ref: `#/components/schemas/${name}` });
