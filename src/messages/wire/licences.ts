/** What `GET /licences` answers: the licences of the data in service, with the statements that they require. */
import { Type } from 'typebox';
import { closed, nullable, type Described } from '../../schema.ts';

/** The header `Link` of every answer (RFC 8288). */
export const licenceLink = '</licences>; rel="license"';

const text = Type.String();

const licensedData = closed({
  id: Type.String({ description: 'The key in dataAsOf; "addresses" for the address register.' }),
  title: text,
  publisher: text,
  asOf: nullable(Type.String({ format: 'date' })),
  sourceUntil: nullable(
    Type.String({ format: 'date', description: 'The last day that the data tell of, where their source says so.' }),
  ),
});

const statement = closed({
  licence: Type.Unsafe<{ id: string; url: string | null } | null>({
    ...closed({ id: text, url: nullable(text) }),
    type: ['object', 'null'],
    description: 'Null for the invented sample data, which come with this program.',
  }),
  attribution: Type.String({ description: 'Show this wherever you pass the answers on: the licence requires it.' }),
  data: Type.Array(licensedData, { minItems: 1, description: 'What the statement is about.' }),
});
export type LicenceStatement = Described<typeof statement>;

export const licencesSchema = closed({
  snapshot: closed({ id: text, createdAt: Type.String({ format: 'date-time' }), sample: Type.Boolean() }),
  statements: Type.Array(statement, { description: 'One for each licence and attribution of the loaded data.' }),
});
export type LicencesBody = Described<typeof licencesSchema>;
