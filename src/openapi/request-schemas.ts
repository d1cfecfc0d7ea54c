export const MAX_ADDRESS_LENGTH = 300;

/** Schema of the request body; the OpenAPI document uses the same object. */
export const lookupRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['address'],
  properties: {
    address: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_ADDRESS_LENGTH,
      description: 'An Ontario street address, for example "100 Queen St W, Toronto, ON"',
    },
  },
} as const;

/** Schema of the query. */
export const lookupQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    detail: { type: 'string', enum: ['full'] },
    geometry: { type: 'string', enum: ['near'] },
  },
  dependentRequired: { geometry: ['detail'] },
} as const;
