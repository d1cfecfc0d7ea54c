import { problems, type ProblemCode } from '../shared/problems.ts';
import type { Schema } from '../shared/schema.ts';

/** Reasons of ADDRESS_NOT_FOUND and OUTSIDE_ONTARIO, in words for the documentation. */
export const refusalReasons = {
  CIVIC_NUMBER_REQUIRED: 'the address has no civic (house) number',
  NON_CIVIC_ADDRESS: 'a post office box, general delivery or a rural route is no place',
  INTERSECTION: 'an intersection is no civic address',
  MUNICIPALITY_REQUIRED: 'the address names no municipality, and more than one could be meant',
  MUNICIPALITY_NOT_FOUND: 'no such municipality is known',
  STREET_NOT_FOUND: 'no such street is known there',
  CIVIC_NOT_ON_STREET: 'the street has no such civic number',
  AMBIGUOUS: 'more than one address fits',
  LOW_CONFIDENCE: 'the nearest match differs too much from what was asked',
  OUT_OF_AREA: 'the place is outside Ontario',
} as const;

/** Schema of a problem document (RFC 9457) with one of these codes. */
export function problemSchema(codes: readonly ProblemCode[]): Schema {
  const refusal = codes.includes('ADDRESS_NOT_FOUND') || codes.includes('OUTSIDE_ONTARIO');
  return {
    type: 'object',
    required: ['type', 'title', 'status', 'code', 'instance'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', format: 'uri-reference', description: 'Where the code is explained.' },
      title: { type: 'string', enum: codes.map((code) => problems[code].title) },
      status: { type: 'integer', enum: [...new Set(codes.map((code) => problems[code].status))] },
      code: { type: 'string', enum: codes, description: 'Stable: decide by this.' },
      detail: { type: 'string', description: 'In words; may change.' },
      instance: { type: 'string', format: 'uri-reference', description: 'This request, as in X-Request-Id.' },
      ...(refusal
        ? {
            reason: { type: 'string', enum: Object.keys(refusalReasons), description: 'Why the address was refused.' },
            suggestions: {
              type: 'array',
              maxItems: 5,
              items: { type: 'string' },
              description: 'Canonical addresses that may have been meant.',
            },
          }
        : {}),
    },
  };
}

const text = { type: 'string' } as const;
const maybeText = { type: ['string', 'null'] } as const;
const maybeDay = { type: ['string', 'null'], format: 'date' } as const;
const sample = { type: 'boolean', description: 'Hand-drawn sample data: not real.' } as const;

function closed(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, additionalProperties: false, properties };
}

const snapshot = closed({ id: text, createdAt: { type: 'string', format: 'date-time' }, sample });

const distance = { type: 'number', minimum: 0 } as const;
const bands = closed({ inside: distance, regulated: distance, adjacent: distance }, [
  'inside',
  'regulated',
  'adjacent',
]);

const dataSet = closed({
  id: { ...text, description: 'The key in dataAsOf.' },
  title: text,
  publisher: text,
  notes: { type: 'array', items: text },
  sample,
  licence: closed({ id: text, url: maybeText }),
  attribution: { ...text, description: 'Show this beside the data: the licence asks for it.' },
  state: { type: 'string', enum: ['loaded', 'not_loaded'], description: 'not_loaded: its answers are null.' },
  asOf: maybeDay,
  asOfFrom: { ...maybeText, description: 'How the date was found.' },
  importedAt: maybeText,
  coverage: { type: ['string', 'null'], enum: ['province', 'features', 'area', null] },
  featureCount: { type: ['integer', 'null'], minimum: 0 },
});

/** Body of `GET /api/layers`. */
export const layersSchema: Schema = closed({
  snapshot,
  layers: {
    type: 'array',
    items: closed({
      key: text,
      title: text,
      description: text,
      french: { type: ['object', 'null'], properties: { title: text, description: text } },
      group: text,
      kind: { type: 'string', enum: ['boolean', 'value', 'object', 'proximity', 'count'] },
      values: { type: ['array', 'null'], items: { type: ['string', 'boolean'] } },
      members: { type: ['object', 'null'], additionalProperties: text },
      bandsM: { anyOf: [bands, { type: 'null' }], description: 'Limits of the proximity classes in metres.' },
      specialBandsM: {
        type: ['array', 'null'],
        items: closed({ for: { type: 'array', items: text }, bandsM: bands }),
        description: 'Other limits for features with one of these values.',
      },
      radiusM: { type: ['number', 'null'] },
      dataSets: { type: 'array', minItems: 1, items: dataSet },
    }),
  },
  addresses: {
    anyOf: [
      closed({ title: text, publisher: text, licence: text, attribution: text, asOf: maybeDay, sample }),
      { type: 'null' },
    ],
  },
});

export const aliveSchema: Schema = closed({ status: { type: 'string', const: 'alive' }, uptimeS: { type: 'integer' } });

export const readySchema: Schema = {
  type: 'object',
  required: ['ready'],
  properties: { ready: { type: 'boolean' } },
  description: 'Why the process can or cannot answer lookups.',
};
