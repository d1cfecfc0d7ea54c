/** What `POST /api/lookup` takes: the body, the query and the header `Idempotency-Key`. */
import Type from 'typebox';
import { closed, oneOf, type Described } from '../schema.ts';

export const lookupRequestSchema = closed({
  address: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'An Ontario street address, for example "100 Queen St W, Toronto, ON"',
  }),
});
export type LookupRequest = Described<typeof lookupRequestSchema>;

export const lookupQuerySchema = closed(
  {
    detail: Type.Optional(
      oneOf(['full'], {
        description: 'full: also how the address was resolved, and the evidence of each answer.',
      }),
    ),
    geometry: Type.Optional(
      oneOf(['near'], {
        description:
          'near, only with detail=full: also the features that were found and those near by, as GeoJSON clipped to 1 km.',
      }),
    ),
  },
  { dependentRequired: { geometry: ['detail'] } },
);
export type LookupQuery = Described<typeof lookupQuerySchema>;

/** Visible ASCII, as the header field draft (draft-ietf-httpapi-idempotency-key-header) has it; its quotes are part of the key. */
export const idempotencyKeySchema = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'Any text of the client that identifies this one request, for example a UUID. The same request with the same text gets the same answer within 24 hours, and is counted and billed once. Another request with the same text gets 400.',
});
