import { suggestQuerySchema, type Suggestion } from '../shared/wire/suggest.ts';
import type { Schema } from '../shared/schema.ts';
import { commonHeaders, header, parameter, problemResponse, quotaHeaders } from './responses.ts';

/** What someone typed, and the answer of the service on its bundled sample (`docs/api-examples.json`). */
export interface SuggestExample {
  readonly q: string;
  readonly suggestions: readonly Suggestion[];
}

export const suggestOperation = ({ q, suggestions }: SuggestExample): Schema => ({
  operationId: 'suggest',
  tags: ['lookup'],
  summary: 'Complete an address while it is being typed',
  description:
    'Completes civic addresses, streets and municipalities from the address register. A lookup of a suggested address finds that very address. Not billed; has an hourly limit of its own. An answer without suggestions is no error.',
  security: [{ key: [] }],
  parameters: Object.entries(suggestQuerySchema.properties).map(([name, schema]) => ({
    ...parameter('query', name, schema),
    ...(name === 'q' ? { required: true, example: q } : {}),
  })),
  responses: {
    200: {
      description: 'The suggestions.',
      headers: { ...quotaHeaders, ...commonHeaders },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Suggestions' },
          examples: { sample: { summary: 'From the invented sample', value: { suggestions } } },
        },
      },
    },
    400: problemResponse(['BAD_REQUEST']),
    401: problemResponse(['UNAUTHORIZED'], { 'WWW-Authenticate': header('WwwAuthenticate') }),
    402: problemResponse(['PAYMENT_REQUIRED']),
    403: problemResponse(['FORBIDDEN']),
    429: problemResponse(['RATE_LIMITED'], { ...quotaHeaders, 'Retry-After': header('RetryAfter') }),
    500: problemResponse(['INTERNAL']),
    503: problemResponse(['DB_ERROR'], { 'Retry-After': header('RetryAfter') }),
  },
});
