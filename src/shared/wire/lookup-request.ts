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
        description: 'full: also how the address was resolved and what each answer rests on.',
      }),
    ),
    geometry: Type.Optional(
      oneOf(['near'], {
        description: 'near, only with detail=full: also the features found and near by as GeoJSON, clipped to 1 km.',
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
    'Any text of the client that stands for this one request, for example a UUID. Sent again within 24 hours with the same request, it gets the same answer, counted and billed once; with another request it gets 400.',
});
