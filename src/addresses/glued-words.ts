/** Words that are written in one with what follows them, split before anything else is read. Only in what people ask: the register's keys stay. */
import { designatorWords } from './units.ts';

/** Words before the number of a box, a route or a bell, which may be written in one with it. */
export const deliveryWords: readonly string[] =
  'BOX BAG DRAWER CP RR SS MR SITE COMP COMPARTMENT GROUP GRP LCD RPO BUZZER BUZZ INTERCOM'.split(' ');

/** Roads that are called by a number: "Hwy7" is split, "St7" is not. */
const roadWords = ['HWY', 'HIGHWAY', 'CONC', 'CONCESSION', 'LINE', 'SIDEROAD'];

const labels = [...designatorWords, ...deliveryWords, ...roadWords];

/** "UNIT910", "RR3", "POBOX283", "PH9", "HWY7". */
const labelAndNumber = new RegExp(`^(PO)?(${labels.sort((a, b) => b.length - a.length).join('|')})(\\d{1,5}[A-Z]?)$`);

/** "1542ROBINSON", but not "21ST" or "3EME". */
const numberAndName = /^(\d{1,6})(?!I?EME$|I?ERE$)([A-Z]{3,})$/;

/** "HWY" by itself, behind the name of who owns it. */
const highwayOwner = /^PROV(?:INCIAL)?$/;
const highway = /^(?:HWY|HIGHWAY)$/;

/** Says whether a folded text holds a word that `withoutGlue` may split. Most do not. */
export function mayBeGlued(folded: string): boolean {
  return /[A-Z]{2}\d|\d[A-Z]{3}|POBOX|\bPH[A-Z]\b|PROV|ON\s*-/.test(folded);
}

/** Returns the words of a part of an address, each apart from its number. */
export function withoutGlue(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => highwayWords(words, at) ?? split(word));
}

/** "Prov Hwy 7" and "1500 ON-7" are Hwy 7; null for other words. */
function highwayWords(words: readonly string[], at: number): readonly string[] | null {
  const isSign = (place: number): boolean =>
    words[place] === 'ON' && words[place + 1] === '-' && isNumber(words[place - 1]);
  if (highwayOwner.test(words[at]!)) return highway.test(words[at + 1] ?? '') ? [] : null;
  if (isSign(at)) return ['HWY'];
  return isSign(at - 1) ? [] : null;
}

function isNumber(word = ''): boolean {
  return /^\d/.test(word);
}

function split(word: string): string[] {
  if (word === 'POBOX') return ['PO', 'BOX'];
  if (/^PH[A-Z]$/.test(word)) return ['PH', word.slice(2)];
  const [, office, label, number] = labelAndNumber.exec(word) ?? [];
  if (label !== undefined && number !== undefined) return [...(office === undefined ? [] : [office]), label, number];
  const [, civic, name] = numberAndName.exec(word) ?? [];
  return civic !== undefined && name !== undefined ? [civic, name] : [word];
}
