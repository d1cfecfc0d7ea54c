/** Canada Post never uses the letters D, F, I, O, Q, U, and never W and Z first. */
const valid = /^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z]\d[ABCEGHJ-NPRSTV-Z]\d$/;

/** First letters of Ontario: K east, L central, M Toronto, N south-west, P north. */
export function isOntarioPostalCode(code: string): boolean {
  return /^[KLMNP]/.test(code);
}

/** Returns the postal code as six characters in upper case, or null. */
export function postalCode(text: string): string | null {
  return valid.test(text) ? text : null;
}

/** Says whether a text is the first half of a postal code of Ontario, a postal area: "K7P". */
export function isPostalArea(text: string): boolean {
  return /^[KLMNP]\d[ABCEGHJ-NPRSTV-Z]$/.test(text);
}

/** Says whether a postal code is the one asked for, or of the area that was asked for. */
export function isOfCode(code: string | null, asked: string | null): boolean {
  return code !== null && asked !== null && code.startsWith(asked);
}

/**
 * Returns a postal code after correcting letters and digits that look alike (O and 0, I and 1). Their position decides
 * which is meant.
 * @param behindProvince the text follows "ON": only then may letters alone be a code, because otherwise "Toroto" would
 * be one.
 */
export function repairedPostalCode(text: string, behindProvince: boolean): string | null {
  if (!/^[A-Z0-9]{6}$/.test(text) || !(behindProvince || /\d/.test(text))) return null;
  const repaired = text.replace(/./g, (sign, i: number) => (i % 2 === 0 ? asLetter : asDigit)[sign] ?? sign);
  return postalCode(repaired);
}

const asLetter: Readonly<Record<string, string>> = { '1': 'L' };
const asDigit: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };

/** "M5H 2N2". */
export function displayPostalCode(code: string): string {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

/**
 * Says whether the code is rural (second character 0). Rural codes cover large areas and say little about a position.
 */
export function isRural(code: string): boolean {
  return code[1] === '0';
}
