import fc from 'fast-check';

/** Pieces that mean something to a reader of addresses, in places where they do not. */
const pieces = (
  '1 12 100 0 99999 123456 1234567 1/2 ½ 12A A12 5th 3rd 1st 10TH First Twenty-First , , . - – — # & @ / ( ) ; : ' +
  'St St. Street Ave Avenue Rd Road Blvd Cres Crt Dr rue chemin boul ch. Line Concession Conc Hwy Highway Sideroad County Regional ' +
  'N S E W North West Est Ouest NE SO Unit Apt Suite Ste # PH Floor Level bureau app PO Box RR GD Station Main ' +
  'Toronto Ottawa Kingston Scarborough Owen Sound St. Catharines Sudbury of City Township ON Ont Ontario Canada QC Quebec USA NY MI 48226 ' +
  "M5H 2N2 M5H2N2 K7L-1A1 M5HOIL H2X 1A1 Queen King Princess O'Connor Lake Shore the The Mall and at et corner of c/o RR2 R.R.#4"
).split(' ');

/** Parts of addresses that the small register has, whole, so that some of the soups come near one. */
const phrases = [
  ...[
    '100 Queen St W',
    '100 Queen',
    'Queen St W',
    '330 Spadina Ave',
    '28 Nelson',
    '300 Rideau St',
    '123 Princess',
    '125A Princess St',
  ],
  ...[
    '5432 Hwy 7',
    '200 Concession 4',
    '15 5th Line',
    '123 9th Ave E',
    '399 The West Mall',
    '50 OConnor St',
    '12 1/2 John St',
    '10 St. Clair Ave W',
  ],
  ...[
    'Toronto',
    'Toronto, ON',
    'Kingston',
    'Kingston ON',
    'Ottawa',
    'Owen Sound',
    'Scarborough',
    'Etobicoke',
    'M5H 2N2',
    'K7L1A1',
  ],
];

const odd = [
  ...[
    '\u0000',
    '\u200b',
    '\u00a0',
    '\u202e',
    '\ufeff',
    '\ud800',
    '\udc00',
    '\u0301',
    'ﬁ',
    '１００',
    '①',
    'Ⅷ',
    'ß',
    'İ',
    'ı',
    '😀',
    '中',
    'ع',
    "'",
    '’',
    '\t',
  ],
  ...[
    '\r\n',
    '%00',
    '<b>',
    '"',
    '\\',
    '${x}',
    "'; DROP TABLE",
    '__proto__',
    'constructor',
    'toString',
    'NaN',
    'null',
    '-1',
    '1e9',
    '٣',
  ],
];

const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...pieces) },
  { weight: 6, arbitrary: fc.constantFrom(...phrases) },
  { weight: 2, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('1', '-', '#', 'A', 'ST ', '9').chain((sign) => fc.nat(60).map((n) => sign.repeat(n))),
  },
);

/** Texts of up to 300 characters: soups of address words, signs that nobody expects, long runs of one sign, and plain noise. */
export const oddAddress: fc.Arbitrary<string> = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.oneof(fc.array(piece, { maxLength: 5 }), fc.array(piece, { maxLength: 14 })),
          fc.constantFrom(' ', ' ', '', ', ', '-'),
        )
        .map(([list, gap]) => list.join(gap)),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
    { weight: 1, arbitrary: fc.array(piece, { minLength: 40, maxLength: 80 }).map((list) => list.join(' ')) },
  )
  .map((text) => text.slice(0, 300));
