/** What `POST /api/lookup` takes (the body, the query and the header `Idempotency-Key`) and answers. */
import { Type, type TObject, type TProperties } from 'typebox';
import { closed, oneOf, type Described, reference } from '../../schema.ts';
import { placeMembers } from './geocode.ts';

/** Longest address, in characters of Unicode. */
const MAX_CHARACTERS = 300;

export const lookupRequestSchema = closed({
  address: Type.String({
    minLength: 1,
    maxLength: MAX_CHARACTERS,
    description: 'An Ontario street address, for example "100 Queen St W, Toronto, ON"',
  }),
});
export type LookupRequest = Described<typeof lookupRequestSchema>;

/**
 * Control characters, line separators, halves of surrogate pairs, and the characters that a decoder writes for bytes
 * that are not UTF-8. Tabs and line breaks are no fault: they stand in labels that people paste.
 */
const UNPRINTABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\u2028\u2029\ufffd\ufffe\uffff]/u;

/** Returns what is wrong with the text of an address, null when nothing is. The schema cannot say all of it. */
export function addressFault(address: string): string | null {
  if (address.length > MAX_CHARACTERS && Array.from(address).length > MAX_CHARACTERS)
    return `address must NOT have more than ${MAX_CHARACTERS} characters`;
  if (UNPRINTABLE.test(address)) return 'address must not hold control characters';
  return address.trim() === '' ? 'address must not be blank' : null;
}

/** Keys of further answers. */
export const furtherLayersSchema = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description:
      'Further answers, which are added to `layers` after those that every lookup has: `all`, or keys with commas between them. `/api/layers` lists them with `further`: true.',
  }),
);

const detail = Type.Optional(
  oneOf(['plain', 'full'], {
    default: 'plain',
    description: 'full: also how the address was resolved, and the evidence of each answer.',
  }),
);

/** The query of a lookup. @param hasDetail whether there is a longer answer to ask for. @param more what features add. */
export function lookupQuerySchema(hasDetail: boolean, more: TProperties): TObject {
  return closed({ ...(hasDetail ? { detail } : {}), ...more, layers: furtherLayersSchema });
}

export interface LookupQuery {
  readonly detail?: 'plain' | 'full';
  /** Where maps are in service. */
  readonly geometry?: string;
  readonly layers?: string;
}

/** Visible ASCII, as the header field draft (draft-ietf-httpapi-idempotency-key-header) has it; its quotes are part of the key. */
export const idempotencyKeySchema = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'Any text of the client that identifies this one request, for example a UUID. The same request with the same text gets the same answer within 24 hours, and is counted and billed once. Another request with the same text gets 400.',
});

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
