import { suggestQuerySchema, type Suggestion } from '../shared/wire/suggest.ts';
import type { Schema } from '../shared/schema.ts';
import { answered, failures, inJson, parameter } from './responses.ts';

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
    200: answered('The suggestions.', inJson('Suggestions', { suggestions }, 'From the invented sample')),
    ...failures('PAYMENT_REQUIRED'),
  },
});
