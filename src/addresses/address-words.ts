import { direction } from './directions.ts';
import { cardinalOf, isOrdinalEnding } from './ordinals.ts';
import { isOneEdit } from './one-edit.ts';
import { streetType } from './street-types.ts';
import { foldCharacters, tokensOf } from './tokens.ts';
import { designatorWords } from './units.ts';

/** The words of an address in their order, and where its parts begin. */
export interface AddressWords {
  readonly words: readonly string[];
  /** By word: a comma, a bracket or the end of a line stands before it. */
  readonly begins: readonly boolean[];
}

/** Signs that end a part of an address. */
const separator = /[;:,|()[\]\n\r\t]+/;

/** A comma between digits without a space, which marks thousands: "1,050". */
const thousands = /(?<!\d)(\d{1,3}),(?=\d{3}(?!\d))/g;

/** A decimal sign, which joins no two numbers: "4.5 Main St" is neither unit 4 of 5 nor 45. */
const decimal = /(?<=\d)\.(?=\d{1,2}(?!\d))/g;

/** "12-1/2": the number and its half. */
const half = /(?<=\d) ?- ?(?=[1-7]\/[2-8](?!\d))/g;

/** "431/2": 43 and a half, or unit 431 of number 2. Other fractions of a number are not met with. */
const gluedFraction = /(?<=\d)(?<!\d\/)(1\/[234]|2\/3|3\/4)(?!\d)/g;

/** Between two names, such as those of a street in both languages: "12 rue Main / Main St". */
const bothNames = /(?<=\p{L}\.?) \/ (?=\p{L})/gu;

/** Between two numbers, which are not the digits of one: "62/8", "2+51". */
const slashBetween = /(?<=\d\d) ?\/ ?(?=\d(?!\d))/g;
const signBetween = /(?<=\d) ?[+*~=_] ?(?=\d)/g;

/** A price, a share, a square, a note or a time, of which the digits are no civic number: "$599", "20%", "12¹", "7:30". */
const amount = /[$€£¢] ?(?=\d)|(?<=\d)(?: ?[%€¢]|[¹²³⁰⁴-⁹]+|:(?=\d))/g;

/** Stands for the slash of such a number. */
export const SLASH = 'SLASH';

/** What a spreadsheet makes of a whole number: "897.0 Lancaster Dr". */
const noDecimals = /(?<=\b\d{1,6})\.0{1,2}(?![\d.])/g;

/** A colon behind a label, which ends no part: "Attn: J. Tremblay", "Unit: 5". Elsewhere a colon ends a part. */
const labelColon = /(?<=\b(?:attn|attention|apt|buzzer|buzz|code|suite|unit)) ?:/gi;

/** Signs of a web page, as they are copied from its source. Digits such as those of `&#39;` would be read as a number. */
const entity = /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z])(?:acute|grave|circ|cedil|uml)|(amp|apos|quot|nbsp));/gi;
const entityNames: Readonly<Record<string, string>> = { amp: '&', apos: "'", quot: '"', nbsp: ' ' };

/** A telephone number, which says nothing about a place: "Tel. (613) 555-0199". */
const telephone =
  /(?:\b(?:tel|telephone|phone|ph|cell|fax)\b[.:]?\s*)?(?:(?<!\w)\+?1[ .-]?)?(?:\(\d{3}\)\s?|\b\d{3}[ .-])\d{3}[ .-]\d{4}\b(?:\s*(?:ext\b\.?|x|poste\b)\s*\d{1,6})?/gi;

/** What reaches somebody by the internet. */
const email = /[^\s@,;<>()]+@[^\s@,;<>()]+\.[a-z]{2,}/gi;
const website = /\b(?:https?:\/\/|www\.)[^\s,;()]+/gi;

/**
 * Numbers by which others call a parcel: of the assessment roll (15 digits, and 0000 behind), of the land registry, of a listing. With its label, or so
 * long in one that it is no civic number.
 */
const parcelNumber =
  /(?:\b(?:roll|arn) ?(?:no\b\.?|number|#)? ?:? ?\d{2}[ -]?\d{2}[ -]?\d{3}[ -]?\d{3}[ -]?\d{5}(?:[ -]?0000)?|(?<!\w)\d{15}(?:0000)?|\bpin ?(?:no\b\.?|#)? ?:? ?\d{5} ?-? ?\d{4}(?: ?\((?:lt|r)\))?|\bmls ?®? ?(?:no\b\.?|number)? ?[#:]* ?[a-z]?\d{6,9})(?!\w)/gi;

/** What a program writes for a part that is not there. */
const nothing = /^\s*"?(?:#?n\/a|null|none|nan|nil|undefined|\\n)?"?\s*$/i;
const noUnit =
  /\b(?:unit|apt|apartment|suite|ste|app|bureau)\b\.?\s*[:#]?\s*(?:n\/a|null|none|nan|nil|undefined)(?![a-z\d])/gi;

/**
 * Words of deeds and notices before the address ("premises municipally known as 12 Main St"), where they begin a part: behind "formerly" they say
 * something else.
 */
const knownAs =
  /(^|[,;:(\n])\s*(?:being\s+|(?:the\s+)?(?:subject\s+)?(?:property|properties|premises|lands?)\s+)?(?:(?:municipally|civically)\s+known|known\s+(?:municipally|civically))\s+as\b/gi;

/** Labels of the civic number at the beginning of a part, before the number itself: "Fire No. 12 Main St", "Located at 12 Main St". */
const numberLabel =
  /(^|[,;:(\n])\s*(?:(?:fire|emergency|h\.?|mun\.?|municipal|rural)\s?(?:no\b\.?|nos?\b\.?|number|#)|no\b\.? civique|n°)\s*:?\s*(?=\d{1,6}[a-z]?\s+(?:[a-z]|\d{1,2}(?:st|nd|rd|th)\b))/gi;
const locatedAt =
  /^\s*(?:(?:(?:being\s+)?(?:the\s+)?(?:subject\s+)?(?:property|properties|premises|lands?|site|parcel|dwelling|house|building)\s+)?(?:is\s+)?(?:located\s+|situated?\s+)?(?:at\s|@)|(?:situ[eé]e?s?\s+)?au\s)\s*(?=\d)/i;

/** "Rear of 12 Main St", "R/O 12 Main St": a part of that house, as the register's own "REAR" is. */
const rearOf =
  /(^|[,;:(\n])\s*(?:(?:rear|back)\s+of|r\/o|(?:[àa]\s+)?(?:l['’])?arri[eè]re\s+d[ue])\s+(?:no\b\.?\s*|#\s*)?(?=\d)/gi;

/** What stands before a postal code, and one with a blank behind each sign. */
const codeLabel = /\b(?:postal\s*code|code\s*postal|p\.?c\.?)\s*[:#]?\s*(?=[a-z]\d[a-z]\s?-?\s?\d[a-z]\d\b)/gi;
const spacedCode = /\b([a-z]) (\d) ([a-z]) +(\d) ([a-z]) (\d)\b/gi;

/** The words of a form or a record before each of its fields: "Street No.: 12, City: Kingston", `"city": "Kingston"`. */
const fieldLabel =
  /(?:(?<=^|[,;({|"\n])\s*"?(?:street|civic|house)[ _]?(?:no\.?|number|num|#|name|address)?|(?<=^|[\s,;({|"])"?(?:city|town|municipality|province|prov|state|postal[ _]?code|country))"?\s*:/gi;

/** The number of somebody's file, with its word: "File B-12/24:". */
const fileNumber = /\b(?:file|dossier)\s*(?:no\b\.?|number|#)?\s*:?\s*(?=[a-z\d/.-]*\d)[a-z]{1,5}[-/.]?\d[\w/.-]*/gi;

/** "Kingston, ON - 12 Main St". */
const dashBehindProvince = /,\s*(on|ont|ontario)\.?\s+[-–—]\s+(?=\d)/gi;

/** Marks of a page, and signs as an address of the internet has them: "Main St<br>Kingston", "12%20Main%20St". */
const markup = /<\/?(?:br|p|div|span|b|i|u|strong|em|td|th|tr|li|a|font)\b[^<>]*>/gi;
const escaped = /%[\da-f]{2}/i;

/** An end of a line as exports of data and workbooks write it. */
const lineEnd = /\\r\\n|\\[rn](?=[A-Z\d])|_x000[AD]_/g;

/** "…, in the City of Kingston, in the Province of Ontario". */
const inThe =
  /\b(?:in\s+the(?=\s+(?:city|town|township|village|municipality|province|county|regional)\s)|dans\s+la(?=\s+(?:ville|province)\s))/gi;

/** Share of words with a comma before them above which commas say nothing: "100, Queen, St, W, Toronto". */
const COMMAS_EVERYWHERE = 0.75;

/** Splits the text of an address into words. A part, or an address, that stands there twice is read once. */
export function addressWords(text: string): AddressWords {
  const folded = foldCharacters(plainText(text));
  const isGlued = glued.some((pattern) => pattern.test(folded));
  const parts: (readonly string[])[] = [];
  let count = 0;
  for (const part of folded.split(separator)) {
    if (nothing.test(part)) continue;
    const tokens = tokensOf(part);
    const words = withoutSecondHalf(isGlued ? withoutGlue(tokens) : tokens);
    for (const piece of apartFromTown(words)) {
      parts.push(piece);
      count += piece.length;
    }
  }
  const isEverywhere = parts.length > 3 && parts.length - 1 > COMMAS_EVERYWHERE * (count - 1);
  const words: string[] = [];
  const begins: boolean[] = [];
  for (const [i, part] of parts.entries()) {
    if (!isEverywhere && stoodBefore(part, parts, i)) continue;
    for (let at = 0; at < part.length; at++) {
      begins.push(at === 0 && (!isEverywhere || i === 0));
      words.push(part[at]!);
    }
  }
  return { words, begins };
}

/** "12 Main St in Kingston" is a street and a town. Elsewhere the word may belong to a name or a remark: "parking in rear". */
function apartFromTown(words: readonly string[]): (readonly string[])[] {
  const at = words.indexOf('IN', 3);
  const before = words[at - 1] ?? '';
  if (at < 0 || at + 1 === words.length || (streetType(before) === null && direction(before) === null))
    return words.length > 0 ? [words] : [];
  return [words.slice(0, at), words.slice(at + 1)];
}

/**
 * What any pattern of `plainText` needs. Most addresses hold nothing of it, and one look is cheaper than one for each. A pattern with another sign than
 * letters, digits, blanks and commas needs nothing here.
 */
const unusual =
  /[^a-z\d ,]|\d{5}|\d{3} \d{4}|,\d|\b[a-z] \d [a-z] |\b(?:a[tu]|dans|dossier|d[ue]|emergency|file|fire|h|in|known|mun|municipal|no|of|pc|(?:code)?postal(?:code)?|rural|n(?:ull|one|an|il)|undefined)\b/i;

/** Without what would divide or join words by accident. The checks before are cheap, and most texts need nothing. */
function plainText(text: string): string {
  if (!unusual.test(text)) return text;
  let plain = withoutMarkup(text);
  if (/\bn(?:\/a|ull|one|an|il)\b|undefined/i.test(plain)) plain = plain.replace(noUnit, ' , ');
  if (/\d{3}[ .-]\d{4}/.test(plain)) plain = plain.replace(telephone, ' , ');
  if (/\d{4}/.test(plain)) plain = plain.replace(parcelNumber, ' , ');
  if (plain.includes('@')) plain = plain.replace(email, ' , ');
  if (/www\.|https?:/i.test(plain)) plain = plain.replace(website, ' , ');
  plain = withoutLabels(plain);
  if (/\b(?:known|in|dans)\s/i.test(plain)) plain = plain.replace(knownAs, '$1 ').replace(inThe, ' , ');
  plain = withoutSigns(plain);
  if (plain.includes(' / ')) plain = plain.replace(bothNames, ' , ');
  if (plain.includes(':')) plain = plain.replace(fieldLabel, ' , ').replace(labelColon, ' ');
  if (/,\d/.test(plain)) plain = plain.replace(thousands, '$1 ');
  return /\d\.\d/.test(plain) ? plain.replace(noDecimals, '').replace(decimal, ' DECIMAL ') : plain;
}

/** With the signs beside numbers as words, or as what divides them. */
function withoutSigns(text: string): string {
  const plain = text.includes('/')
    ? text.replace(half, ' ').replace(gluedFraction, withSlash).replace(slashBetween, '-')
    : text;
  if (!/[+*~=_$€£%¢¹²³⁰⁴-⁹]|\d:\d/.test(plain)) return plain;
  return plain.replace(signBetween, ' , ').replace(amount, ' AMOUNT ');
}

/** As a page shows it. */
function withoutMarkup(text: string): string {
  let plain = /\\|_x/.test(text) ? text.replace(lineEnd, '\n') : text;
  if (plain.includes('&')) plain = plain.replace(entity, signOf);
  if (plain.includes('<')) plain = plain.replace(markup, ' , ');
  if (escaped.test(plain) && !/\s/.test(plain.trim())) plain = unescaped(plain);
  return plain;
}

/** Without words that say what the number, the code or the address behind them is. */
function withoutLabels(text: string): string {
  let plain = text;
  if (/°|\b(?:no|fire|emergency|h|mun|municipal|rural)\b/i.test(plain)) plain = plain.replace(numberLabel, '$1 ');
  if (/\ba[tu]\s|@/i.test(plain)) plain = plain.replace(locatedAt, '');
  if (/\b(?:of|r\/o|d[ue])\s/i.test(plain)) plain = plain.replace(rearOf, '$1 REAR ');
  if (/\bc\/r\b/i.test(plain)) plain = plain.replace(/\bc\/r\b/gi, 'CR');
  if (/\b(?:code|postal|p\.?c)/i.test(plain)) plain = plain.replace(codeLabel, ' ');
  if (/\b[a-z] \d [a-z] /i.test(plain)) plain = plain.replace(spacedCode, '$1$2$3 $4$5$6');
  if (/\b(?:file|dossier)\b/i.test(plain)) plain = plain.replace(fileNumber, ' , ');
  if (/\bon[a-z]*\.?\s+[-–—]/i.test(plain)) plain = plain.replace(dashBehindProvince, ', $1, ');
  return plain.replace(/(?<=[a-z]{2})\.(?=\d)/gi, '. ');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withSlash(fraction: string): string {
  return fraction.replace('/', ` ${SLASH} `);
}

function signOf(_: string, digits: string, hex: string, letter: string, name: string): string {
  if (letter) return letter;
  if (name) return entityNames[name.toLowerCase()]!;
  const code = digits ? Number(digits) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}

/** "12 Main St Kingston 12 Main St Kingston". Short texts may be names: "Baden Baden". */
function withoutSecondHalf(words: readonly string[]): readonly string[] {
  const half = words.length / 2;
  if (half < 3 || words[0] !== words[half]) return words;
  return words.every((word, i) => word === words[(i + half) % words.length]) ? words.slice(0, half) : words;
}

function stoodBefore(part: readonly string[], parts: readonly (readonly string[])[], at: number): boolean {
  for (let i = 0; i < at; i++) {
    const other = parts[i]!;
    if (other[0] === part[0] && other.length === part.length && part.every((word, k) => word === other[k])) return true;
  }
  return false;
}

/** Takes some words out; what follows them begins a part. */
export function without({ words, begins }: AddressWords, at: number, count: number): AddressWords {
  const rest = begins.slice(at + count);
  if (rest.length > 0) rest[0] = true;
  return { words: [...words.slice(0, at), ...words.slice(at + count)], begins: [...begins.slice(0, at), ...rest] };
}

/** The words from one to before another. */
export function slice({ words, begins }: AddressWords, from: number, to?: number): AddressWords {
  return { words: words.slice(from, to), begins: begins.slice(from, to) };
}

/** Says whether a part begins inside the words, behind the first of them. */
export function isBroken({ begins }: AddressWords, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) if (begins[at]) return true;
  return false;
}

/** Returns the parts, each as its words. */
export function partsOf({ words, begins }: AddressWords): string[][] {
  const parts: string[][] = [];
  for (const [i, word] of words.entries()) {
    if (begins[i] || parts.length === 0) parts.push([word]);
    else parts.at(-1)!.push(word);
  }
  return parts;
}

// Words that are written in one with what follows them, split before anything else is read. Only in what people ask: the register's keys stay.

/** Words before the number of a box, a route or a bell, which may be written in one with it. */
export const deliveryWords: readonly string[] =
  'BOX BAG DRAWER CP RR SS MR SITE COMP COMPARTMENT GROUP GRP LCD RPO BUZZER BUZZ INTERCOM'.split(' ');

/** Roads that are called by a number: "Hwy7" is split, "St7" is not. */
const roadWords = ['HWY', 'HIGHWAY', 'CONC', 'CONCESSION', 'LINE', 'SIDEROAD'];

const labels = [...designatorWords, ...deliveryWords, ...roadWords];

/** "UNIT910", "RR3", "POBOX283", "PH9", "HWY7". */
const labelAndNumber = new RegExp(`^(PO)?(${labels.sort((a, b) => b.length - a.length).join('|')})(\\d{1,5}[A-Z]?)$`);

/** "ONK7L1A1", and "ONK7L" before "1A1". */
const provinceAndCode = /^(ON|ONT|ONTARIO)([KLMNP]\d[A-Z](?:\d[A-Z]\d)?)$/;

/** "1542ROBINSON", but not "21ST" or "3EME". */
const numberAndName = /^(\d{1,6})(?!I?EME$|I?ERE$)([A-Z]{3,})$/;

/** "HWY" by itself, behind the name of who owns it, or of its kind. */
const highwayOwner = /^(?:PROV|PROVINCIAL|ONT|SECONDARY)$/;
const highway = /^(?:HWY|HIGHWAY)$/;

/** Slips of "Hwy", which is too short to tell one by a letter alone. */
const misspeltHwy = /^(?:HWAY|HYW|HIWY|HWYS|HWT)$/;

/** A county's road in one word: "CtyRd 15". */
const countyRoadWord = /^(?:CTY|CNTY|COUNTY)(?:RD|ROAD)(\d{1,3})?$/;

/** What the words hold that `withoutGlue` may split or read otherwise. Most addresses have nothing of it. */
const glued = [
  /[A-Z]{2}\d|\d[A-Z]{3}|POBOX|\bPH[A-Z]\b|\bU\d|\bCR\b|CTY|CNTY|PROV|SECONDARY|\bONT\b|\bON *-? *\d/,
  /\bH[A-Z]{2,8} (?:\d|[A-Z])|\b(?:CONC|CONCESSION|LINE|SIDEROAD|R(?:OA)?D) [A-Z]{3}|\d[ -](?:ST|ND|RD)\b/,
];

/** Returns the words of a part of an address, each apart from its number. */
export function withoutGlue(words: readonly string[]): readonly string[] {
  const apart = words.flatMap((word, at) => highwayWords(words, at) ?? split(word, words[at - 1]));
  return withoutSplitOrdinals(withNumbersOfRoads(apart));
}

/** "Prov Hwy 7" and "1500 ON-7" are Hwy 7, "1813 CR 2" and "1813 C/R-2" are County Rd 2; null for other words. */
function highwayWords(words: readonly string[], at: number): readonly string[] | null {
  const word = words[at]!;
  const next = words[at + 1] ?? '';
  if (highwayOwner.test(word)) return isHighway(next) ? [] : null;
  if (isHighway(word) && (isNumber(next) || cardinalOf(words, at + 1) !== null)) return ['HWY'];
  if (isSign(words, at)) return word === 'ON' ? ['HWY'] : ['COUNTY', 'RD'];
  if ((word === '-' || word === '#') && isSign(words, at - 1)) return [];
  return countyRoad(word, words[at - 1]);
}

/** "1500 ON 7", "1813 CR-2", "1813 CR #2". */
function isSign(words: readonly string[], at: number): boolean {
  const number = words[at + 1] === '-' || words[at + 1] === '#' ? words[at + 2] : words[at + 1];
  return /^(?:ON|CR)$/.test(words[at] ?? '') && isNumber(words[at - 1]) && isNumber(number);
}

/** "1813 CR2", and "CtyRd2" wherever it stands. */
function countyRoad(word: string, before: string | undefined): readonly string[] | null {
  const [, inOne] = countyRoadWord.exec(word) ?? (isNumber(before) ? /^CR(\d{1,3})$/.exec(word) : null) ?? [];
  if (inOne !== undefined) return ['COUNTY', 'RD', inOne];
  return countyRoadWord.test(word) ? ['COUNTY', 'RD'] : null;
}

/** "HWY", "HIGHWAY", and with one letter wrong: "HIGHWY". */
function isHighway(word: string): boolean {
  return highway.test(word) || misspeltHwy.test(word) || isOneEdit(word, 'HIGHWAY');
}

/** Words before the number of a road, by which it is called: "Highway Fifteen", "Concession Four", "County Road Two". */
const calledByNumber = /^(?:HWY|HIGHWAY|CONC|CONCESSION|LINE|SIDEROAD)$/;

function withNumbersOfRoads(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, i) => {
    const isCounty = /^(?:RD|ROAD)$/.test(word) && /^(?:COUNTY|CNTY|CTY|REGIONAL|REGION|REG)$/.test(words[i - 1] ?? '');
    return isCounty || calledByNumber.test(word);
  });
  const named = at < 1 ? null : cardinalOf(words, at + 1);
  if (named === null) return words;
  return [...words.slice(0, at + 1), String(named.value), ...words.slice(at + 1 + named.length)];
}

/** "3 rd Ave" is 3rd Ave; "5 St" is no ordinal. */
function withoutSplitOrdinals(words: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word, i) => i > 0 && isOrdinalEnding(word, words[i - 1]!) && streetType(words[i + 1] ?? '') !== null,
  );
  return at < 0 ? words : [...words.slice(0, at - 1), words[at - 1]! + words[at]!, ...words.slice(at + 1)];
}

function isNumber(word = ''): boolean {
  return /^\d/.test(word);
}

function split(word: string, before = ''): readonly string[] {
  if (word === 'POBOX') return ['PO', 'BOX'];
  if (/^PH[A-Z]$/.test(word)) return ['PH', word.slice(2)];
  return sideOfHighway(word, before) ?? unitBehind(word, before) ?? labelled(word);
}

/** A highway's own letters are A and B: "Hwy 61S" is its south. */
function sideOfHighway(word: string, before: string): readonly string[] | null {
  const [, road, number, side] = /^(HWY|HIGHWAY)?(\d{1,3})([NSW])$/.exec(word) ?? [];
  if (number === undefined || side === undefined || (road === undefined && !isHighway(before))) return null;
  return road === undefined ? [number, side] : ['HWY', number, side];
}

/** "12 Main St U5". */
function unitBehind(word: string, before: string): readonly string[] | null {
  const isBehind = streetType(before) !== null || direction(before) !== null;
  return isBehind && /^U\d{1,4}$/.test(word) ? ['UNIT', word.slice(1)] : null;
}

function labelled(word: string): readonly string[] {
  const [, office, label, number] = labelAndNumber.exec(word) ?? [];
  if (label !== undefined && number !== undefined) return [...(office === undefined ? [] : [office]), label, number];
  const [, province, code] = provinceAndCode.exec(word) ?? [];
  if (province !== undefined && code !== undefined) return [province, code];
  const [, civic, name] = numberAndName.exec(word) ?? [];
  return civic !== undefined && name !== undefined ? [civic, name] : [word];
}
