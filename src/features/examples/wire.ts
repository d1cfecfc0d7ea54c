/** `GET /api/examples`: answers that anybody may see before having a key. */
import { Type } from 'typebox';
import { closed, oneOf, reference, type Described } from '../../schema.ts';
import { fullLookupSchemaOf } from '../../messages/wire/full-lookup.ts';
import type { Geocode } from '../../messages/wire/geocode.ts';
import { lookupMembers } from '../../messages/wire/lookup.ts';
import type { WithGeometry } from '../../messages/wire/near-geometry.ts';

/** What an example shows, the most telling first. */
export const exampleOutcomes = {
  hazard: 'a hazard is here',
  restriction: 'something restricts what may be done here, and no hazard is known',
  close: 'something is close that people ask about, and no hazard or restriction is known',
  unknown: 'whether there are hazards is not known',
  clear: 'no hazard and no restriction, and nothing unknown about hazards',
} as const;
export type ExampleOutcome = keyof typeof exampleOutcomes;

const outcome = oneOf(Object.keys(exampleOutcomes) as ExampleOutcome[], {
  description: Object.entries(exampleOutcomes)
    .map(([name, meaning]) => `${name}: ${meaning}.`)
    .join(' '),
});
const address = Type.String({ description: 'The address as it was asked for.' });

export const examplesSchema = closed(
  {
    snapshot: closed({ id: Type.String(), sample: Type.Boolean() }, { description: 'The data that answered.' }),
    examples: Type.Array(closed({ outcome, address, url: Type.String({ description: 'Where its answer is.' }) }), {
      description: 'One for each outcome that an address of the register shows; empty until they are made.',
    }),
  },
  { description: 'The examples of the snapshot in service.' },
);
export type ExamplesBody = Described<typeof examplesSchema>;

const example = closed(
  { outcome, address, madeAt: Type.String({ format: 'date-time', description: 'When it was answered.' }) },
  {
    description:
      'Says that this is an example: it was answered when its snapshot came into service, and cost nobody anything.',
  },
);

/** @param asked the parameters of the lookup. */
export const exampleLookupSchema = (asked: string) =>
  fullLookupSchemaOf({
    members: { ...lookupMembers, example },
    geocode: reference<Geocode>('Geocode'),
    description: `The answer of a lookup with ${asked}, marked as an example.`,
  });
export type ExampleLookupBody = Described<ReturnType<typeof exampleLookupSchema>> & WithGeometry;
