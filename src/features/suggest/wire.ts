/** `GET /api/suggest`: its query and its answer. */
import { Type } from 'typebox';
import { closed, oneOf, type Described } from '../../schema.ts';

const MOST_SUGGESTIONS = 10;
export const DEFAULT_SUGGESTIONS = 5;

export const suggestQuerySchema = closed({
  q: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'What has been typed so far. Case, accents, punctuation and commas make no difference.',
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_SUGGESTIONS,
      default: DEFAULT_SUGGESTIONS,
      description: 'Most suggestions.',
    }),
  ),
});
export type SuggestQuery = Described<typeof suggestQuerySchema>;

const latitude = Type.Number({ minimum: 41, maximum: 57, description: 'WGS84 latitude in degrees.' });
const longitude = Type.Number({ minimum: -96, maximum: -74, description: 'WGS84 longitude in degrees.' });

const suggestion = closed(
  {
    kind: oneOf(['address', 'street', 'municipality'], {
      description: 'The text of an address leads to that address in a lookup. The others need more words.',
    }),
    text: Type.String({ description: 'What to put into the field.' }),
    lat: Type.Optional(latitude),
    lon: Type.Optional(longitude),
  },
  { description: 'One completion. `lat` and `lon` are those of an address; other kinds have none.' },
);

export const suggestionsSchema = closed(
  { suggestions: Type.Array(suggestion, { maxItems: MOST_SUGGESTIONS, description: 'The best first; may be empty.' }) },
  { description: 'Completions of what was typed.' },
);
export type SuggestionsBody = Described<typeof suggestionsSchema>;
