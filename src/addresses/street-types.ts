import { direction } from './directions.ts';
import list from './lists/street-types.json' with { type: 'json' };
import { isOneEdit } from './one-edit.ts';

/**
 * Street types by the token that the National Address Register uses (mostly Canada Post's symbol), each with the
 * spellings that people write. Sources: reference list of Canada Post symbols and the tokens seen in the register's
 * releases; a few are those of municipalities' own lists (Toronto's and Ottawa's "Gt", "Grv", "Crct"). `sameAs` has the English types that equal a
 * French one: signs of the same street show both.
 */
const types: Readonly<Record<string, { readonly spellings?: readonly string[]; readonly sameAs?: readonly string[] }>> =
  list;

/** Spelling -> register token. */
const bySpelling = new Map<string, string>();
/** Register token -> the types that it equals; a type that is not here equals only itself. */
const standsFor = new Map<string, readonly string[]>();

for (const [token, { spellings = [], sameAs }] of Object.entries(types)) {
  for (const spelling of [token, ...spellings]) bySpelling.set(spelling, token);
  if (sameAs) standsFor.set(token, [token, ...sameAs]);
}

/** Register token -> its full word, for comparing names letter by letter. */
const fullWord = new Map<string, string>();
for (const [spelling, token] of bySpelling) {
  if (spelling.length >= (fullWord.get(token)?.length ?? 0)) fullWord.set(token, spelling);
}
// Inside a name ST is Saint more often than Street, and nothing distinguishes the two.
fullWord.set('ST', 'ST');

/** Returns a word of a street name, with an abbreviated type spelt out: "PKWY" and "PARKWAY" are "PARKWAY". */
export function spellOut(word: string): string {
  return fullWord.get(bySpelling.get(word) ?? '') ?? word;
}

function words(text: string): string[] {
  return text.split(' ').filter(Boolean);
}

/** The register token of a street type as people write it; null for any other word. `word` is a token of `tokenise`. */
export function streetType(word: string): string | null {
  return bySpelling.get(word) ?? null;
}

/** Returns the register tokens of all types with a spelling that begins so. */
export function streetTypesBeginning(letters: string): string[] {
  const tokens = new Set<string>();
  for (const [spelling, token] of bySpelling) if (spelling.startsWith(letters)) tokens.add(token);
  return [...tokens];
}

/** Shortest beginning of a type that is one: "Stre". */
const SHORTEST_BEGINNING = 3;

/** Returns the register tokens that a word may stand for which is no type: those with a spelling that it begins, or is one letter away from. */
export function streetTypesLike(word: string): string[] {
  if (word.length < 2 || bySpelling.has(word) || !/^[A-Z]+$/.test(word) || direction(word) !== null) return [];
  const tokens = new Set<string>();
  for (const [spelling, token] of bySpelling) {
    const isBeginning = word.length >= SHORTEST_BEGINNING && spelling.startsWith(word);
    if (isBeginning || isOneEdit(word, spelling)) tokens.add(token);
  }
  return [...tokens];
}

/** Says whether two register tokens name the same kind of street, in either language ("RUE" and "ST"). */
export function sameStreetType(a: string, b: string): boolean {
  if (a === b) return true;
  const ofB = standsFor.get(b) ?? [b];
  return (standsFor.get(a) ?? [a]).some((type) => ofB.includes(type));
}

/** French types that stand before the name: "rue Rideau", "ch. Montréal". */
const french = new Set(
  words(
    'RUE CH CHEM CHEMIN BOUL PROM PROMENADE CROIS CROISS CROISSANT COUR TSSE TERRASSE RLE RUELLE ALLEE VOIE SENT SENTIER ' +
      'MONTEE IMPASSE RANG AV AVE AVENUE BOULEVARD BLVD AUTOROUTE CERCLE CARRE',
  ),
);

/** Types that stand before the name when they are French, and otherwise belong to the name or are English. */
const sometimesLeading = new Set(words('PLACE PL ROUTE RTE TERR COTE POINTE PARC QUAI PRIV PVT'));

export interface LeadingType {
  readonly token: string;
  /** True when it is the type even if the street ends in another type: "chemin Lloyd Manor". */
  readonly firm: boolean;
}

/** Returns the type of a street's first word; null when the word belongs to the name. */
export function leadingType(word: string): LeadingType | null {
  const firm = french.has(word);
  const token = firm || sometimesLeading.has(word) ? streetType(word) : null;
  if (token === null) return null;
  // Before the name it is the French word for Drive, after the name it is English.
  return { token: word === 'PROMENADE' ? 'PROM' : token, firm };
}

/** Says whether a register type is French and stands before its name. */
export function leadsInFrench(token: string): boolean {
  return french.has(token) && token !== 'AVE' && token !== 'BLVD';
}

/** French types that may be followed by a direction inside the register's name: "11 Nord Rte". */
export function isFrenchType(token: string): boolean {
  return french.has(token) || token === 'RTE';
}

/** Types of numbered roads, which people write in both orders: "5th Line" and "Line 5", "Highway 7". */
const numbered = new Set(words('HWY RTE LINE CONC SIDERD TLINE RD AUT RANG'));

export function isNumberedRoadType(token: string): boolean {
  return numbered.has(token);
}

/** "Ave", "Blvd": the symbol in display case. French symbols that are abbreviations keep their register letters. */
export function displayStreetType(token: string): string {
  if (token === 'HWY') return 'Highway';
  return token.charAt(0) + token.slice(1).toLowerCase();
}
