/** What people and exports put between the parts of an address: delivery phrases, units, names of buildings and remarks, at each place and with or without a comma. */
import { oneOf, type Random } from '../question.ts';
import type { Parts, Way } from './way.ts';

/** Modes and places of postal delivery in the words of Canada Post's guide, as people and exports write them. */
export const deliveryPhrases: readonly string[] = [
  ...[
    'PO Box 283',
    'P.O. Box 1200',
    'P.O.Box283',
    'POBOX 12',
    'Box 70',
    'PO BOX # 7',
    'Lock Box 12',
    'Mail Bag 9',
    'CP 44',
    'C.P. 44',
  ],
  ...[
    'RR 3',
    'RR3',
    'R.R.3',
    'R.R. #4',
    'RR#1',
    'Rural Route 2',
    'SS 3',
    'MR 2',
    'RR 2 Site 4 Comp 9',
    'Site 4 Box 9 RR 2',
  ],
  ...['Stn Main', 'Station A', 'Succ Centre-Ville', 'LCD 300', 'LCD Main', 'PO Box 12 Stn B', 'RPO Westgate', 'RPO 2'],
  ...['General Delivery', 'GD', 'GD Stn Main', 'Poste restante', 'Group 5', 'Grp 12 Box 4'],
];

export const unitPhrases: readonly string[] = [
  ...[
    'Unit 910',
    'Unit910',
    'UNIT #3',
    'Apt 4',
    'Apt.12',
    'apt 3B',
    'Suite 800',
    'Ste 210',
    'Suite 100-A',
    'Room 12',
    'Rm 4',
  ],
  ...[
    'PH9',
    'PH 2',
    'PHC',
    'Penthouse 1',
    'TH3',
    'TH 12',
    'Townhouse 7',
    'Bsmt',
    'Basement',
    'UPPR',
    'Upper',
    'Lower',
    'LWR',
  ],
  ...[
    'Rear',
    'Main Floor',
    '2nd Floor',
    'Lower Level',
    'Floor 2',
    'bureau 200',
    'app. 3',
    'unité 4',
    'Bldg C',
    'Tower 2',
  ],
];

export const buildingNames: readonly string[] = [
  ...[
    'Maple Leaf Plaza',
    'City Hall',
    'Grace Baptist Church',
    'Lakeview Towers',
    'Elm Court Apartments',
    'Bayview Public School',
  ],
  ...['The Manor', 'Sunrise Retirement Residence', 'Oak Ridge Medical Centre', 'Studio 54 Cafe', 'Pavilion 3'],
];

export const remarks: readonly string[] = [
  ...[
    'Buzzer 49',
    'BUZZ 12',
    'Buzz #204',
    'near King St',
    'RETURN MAIL',
    'Attn: John Smith',
    'c/o J. Tremblay',
    'side door',
  ],
  ...[
    'entrance at the back',
    'behind the school',
    'Tel 613-555-0199',
    'Attention Mary Jones',
    'use rear entrance',
    'parking in rear',
  ],
];

/** Every phrase by its kind. */
export const phraseKinds = { delivery: deliveryPhrases, unit: unitPhrases, building: buildingNames, remark: remarks };
type Kind = keyof typeof phraseKinds;

/** Where the phrase stands. The parts are the line, the town, the province and the code. */
export const places = ['before', 'behind the street', 'behind the town', 'behind the province', 'at the end'] as const;

/** Puts a phrase between two parts of an address. */
export function withPhrase(
  { line, town, code }: Pick<Parts, 'line' | 'town' | 'code'>,
  phrase: string,
  { place, comma }: { readonly place: (typeof places)[number]; readonly comma: boolean },
): string {
  const sign = comma ? ', ' : ' ';
  switch (place) {
    case 'before':
      return `${phrase}${sign}${line}, ${town}, ON${code}`;
    case 'behind the street':
      return `${line}${sign}${phrase}, ${town}, ON${code}`;
    case 'behind the town':
      return `${line}, ${town}${sign}${phrase}${sign}ON${code}`;
    case 'behind the province':
      return `${line}, ${town}, ON${sign}${phrase}${comma && code !== '' ? ',' : ''}${code}`;
    case 'at the end':
      return `${line}, ${town}, ON${code}${sign}${phrase}`;
  }
}

/** Whether "Road 88" could take the number, or "Rue Main" the letter. */
function mayTakeNumber({ address: { name, type } }: Parts): boolean {
  return /\d/.test(name) || type === 'Rd' || /^(?:HWY|LINE|CONC|SIDERD|RD)$/.test(type);
}

function ways(kind: Kind): Record<string, Way> {
  const signs = kind === 'delivery' || kind === 'unit' ? [true, false] : [true];
  return Object.fromEntries(
    places.flatMap((place) =>
      signs.map((comma): [string, Way] => [
        `${kind} ${place}${comma ? '' : ', no comma'}`,
        (parts, random: Random) =>
          !comma && mayTakeNumber(parts) ? null : withPhrase(parts, oneOf(random, phraseKinds[kind]), { place, comma }),
      ]),
    ),
  );
}

export const insertedWays: Readonly<Record<string, Way>> = {
  ...ways('delivery'),
  ...ways('unit'),
  ...ways('building'),
  ...ways('remark'),
};
