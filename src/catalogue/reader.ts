/** What an answer means for somebody who reads it: where it stands among the others, what follows from it, and whom to ask. */
import { Type } from 'typebox';
import { closed, oneOf, type Described } from '../schema.ts';
import { text } from './fields.ts';

/** A text for people, in both languages. */
const bothMembers = { en: text, fr: text };
export const bothLanguages = closed(bothMembers);

const source = closed(
  { ...bothMembers, url: Type.String({ pattern: '^https://' }) },
  { description: 'The law, plan or guideline on which the meaning rests.' },
);

const meaning = closed(
  { ...bothMembers, source },
  { description: 'What may follow where the answer is found: no more than its source says.' },
);

const next = closed(
  {
    ...bothMembers,
    office: Type.Optional(
      Type.String({
        description: 'Key of the answer that names the office to ask; the text says where, as `{office}`.',
      }),
    ),
  },
  { description: 'What to do about it.' },
);

const office = closed(
  {
    ...bothMembers,
    none: closed(bothMembers, { description: 'What to do where the answer says that there is none.' }),
  },
  { description: 'Where this answer names an office: what it is called where its name is not known.' },
);

const knows = closed(
  {
    ...bothMembers,
    url: Type.Optional(Type.String({ pattern: '^https://' })),
    telephone: Type.Optional(Type.String({ pattern: '^[0-9+() -]{7,20}$' })),
  },
  {
    description:
      'Who would know of it where the data do not, and more where they do: not who only publishes the data. Without it, the office of `next`.',
  },
);

export const readerSchema = closed(
  {
    concern: oneOf(['hazard', 'restriction', 'nearby', 'naming'], {
      description:
        'hazard: may harm people or buildings. restriction: limits what may be done. nearby: good to know. naming: says where the place is.',
    }),
    name: Type.Optional(
      closed(bothMembers, { description: 'What is found, where the title says something else of it.' }),
    ),
    here: Type.Optional(
      closed(bothMembers, {
        description: 'The beginning of the sentence for a place that is in it: "In the Greenbelt".',
      }),
    ),
    from: Type.Optional(
      closed(bothMembers, {
        description: 'What follows a distance to it: "from a lake". It is for answers that tell how near it is.',
      }),
    ),
    meaning: Type.Optional(meaning),
    next: Type.Optional(next),
    knows: Type.Optional(knows),
    office: Type.Optional(office),
    detailOf: Type.Optional(
      Type.String({ description: 'Key of an answer of which this one tells more: both are one finding.' }),
    ),
  },
  { description: 'What the answer means for a reader. Without it, it stands among what is near by.' },
);
export type ReaderDefinition = Described<typeof readerSchema>;
