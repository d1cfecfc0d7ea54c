/** Register token -> the full word, and the French word that leads. */
export const typeWords: Readonly<Record<string, readonly [english: string, french?: string]>> = {
  ST: ['Street', 'rue'],
  AVE: ['Avenue', 'avenue'],
  RD: ['Road', 'chemin'],
  DR: ['Drive', 'promenade'],
  CRES: ['Crescent', 'croissant'],
  CRT: ['Court', 'cour'],
  BLVD: ['Boulevard', 'boulevard'],
  PL: ['Place', 'place'],
  CIR: ['Circle', 'cercle'],
  LANE: ['Lane', 'ruelle'],
  TERR: ['Terrace', 'terrasse'],
  PKY: ['Parkway'],
  HTS: ['Heights'],
  GDNS: ['Gardens'],
  SQ: ['Square', 'carré'],
  TRAIL: ['Trail', 'sentier'],
  HWY: ['Highway'],
  WAY: ['Way', 'voie'],
  PVT: ['Private'],
};

export const directionWords: Readonly<Record<string, readonly [english: string, french: string]>> = {
  N: ['North', 'Nord'],
  S: ['South', 'Sud'],
  E: ['East', 'Est'],
  W: ['West', 'Ouest'],
};

export const ordinalWords: Readonly<Record<string, string>> = {
  '1st': 'First',
  '2nd': 'Second',
  '3rd': 'Third',
  '4th': 'Fourth',
  '5th': 'Fifth',
  '6th': 'Sixth',
  '7th': 'Seventh',
  '8th': 'Eighth',
  '9th': 'Ninth',
  '10th': 'Tenth',
  '11th': 'Eleventh',
  '12th': 'Twelfth',
};

/** Names that no Ontario street has, made of syllables. */
export function inventedName(random: () => number): string {
  const syllables = [
    'Qua',
    'zor',
    'Blim',
    'vex',
    'Trou',
    'gnar',
    'Skwi',
    'lunt',
    'Phor',
    'mak',
    'Dwee',
    'zick',
    'Yol',
    'brund',
  ];
  const count = 3 + Math.floor(random() * 2);
  const word = Array.from({ length: count }, () => syllables[Math.floor(random() * syllables.length)]!).join('');
  return word.charAt(0) + word.slice(1).toLowerCase();
}

/** One letter of a text put in, left out, changed, or swapped with its neighbour; never a digit or a space. */
export function withTypo(text: string, random: () => number): string | null {
  const places = [...text.matchAll(/\p{L}/gu)].map(({ index }) => index);
  if (places.length < 3) return null;
  const at = places[Math.floor(random() * places.length)]!;
  const letter = 'abcdefghijklmnopqrstuvwxyz'[Math.floor(random() * 26)]!;
  const before = text.slice(0, at);
  switch (Math.floor(random() * 4)) {
    case 0:
      return before + letter + text.slice(at);
    case 1:
      return before + text.slice(at + 1);
    case 2:
      return before + letter + text.slice(at + 1);
    default:
      return /^\p{L}{2}/u.test(text.slice(at)) ? before + text[at + 1]! + text[at]! + text.slice(at + 2) : null;
  }
}
