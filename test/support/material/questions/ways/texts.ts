/** The text as a whole: its case, signs and lines, and what is pasted with it. */
import { oneOf } from '../question.ts';
import type { Way } from './way.ts';

function whole(change: (text: string) => string): Way {
  return ({ line, tail }) => change(line + tail);
}

function before(...texts: readonly string[]): Way {
  return ({ line, tail }, random) => `${oneOf(random, texts)}${line}${tail}`;
}

function behind(...texts: readonly string[]): Way {
  return ({ line, tail }, random) => `${line}${tail}${oneOf(random, texts)}`;
}

/** Puts a sign that nobody sees into the first long word. */
function invisible(sign: string): Way {
  return ({ line, tail }) => line.replace(/(\p{L}{2})(\p{L}{2})/u, `$1${sign}$2`) + tail;
}

export const textWays: Readonly<Record<string, Way>> = {
  capitals: whole((text) => text.toUpperCase()),
  'lower case': whole((text) => text.toLowerCase()),
  'no punctuation': whole((text) => text.replace(/[,.]/g, '')),
  'commas everywhere': whole((text) => text.replace(/ /g, ', ').replaceAll(',,', ',')),
  semicolons: whole((text) => text.replaceAll(',', ';')),
  'odd spaces': whole((text) => `  ${text.replace(/ /g, '   ')} `),
  'no accents': whole((text) => text.normalize('NFD').replace(/\p{M}/gu, '')),
  'accents apart': whole((text) => text.normalize('NFD')),
  'curly apostrophes and dashes': whole((text) => text.replaceAll("'", '’').replaceAll('-', '–')),
  quotes: whole((text) => `"${text}"`),
  'full stop at the end': whole((text) => `${text}.`),
  lines: whole((text) => text.replaceAll(', ', '\n')),
  'lines of Windows': whole((text) => text.replaceAll(', ', '\r\n')),
  tabs: whole((text) => text.replaceAll(', ', '\t')),
  'spaces that do not break': whole((text) => text.replaceAll(' ', '\u00a0')),
  'space of no width': invisible('\u200b'),
  'soft hyphen': invisible('\u00ad'),
  'marks of direction': whole((text) => `\u200f${text}\u200e`),
  'slashes between the parts': whole((text) => text.replaceAll(', ', ' / ')),
  'whole address twice': whole((text) => `${text}, ${text}`),
  'Address: before': before('Address: ', 'Mailing address: ', 'Site address: '),
  'building before': before('City Hall, ', 'Maple Leaf Plaza, ', 'The Manor, ', 'Grace Baptist Church, '),
  'c/o before': before('c/o Grace Baptist, ', 'C/O J. Tremblay, '),
  'company before': before('1234567 Ontario Inc., ', 'Acme Ltd., ', '2468 Holdings Limited, '),
  'person before': before('Attn: John Smith, ', 'Mr. J. Tremblay, ', 'Jane Doe\n'),
  'telephone behind': behind(', 613-555-0199', ' (416) 555-0199', ', Tel: 705 555 0199', ' tel. 519.555.0199'),
  'remark in brackets': ({ line, tail }, random) =>
    `${line} ${oneOf(random, ['(near King St)', '(at Elm St)', '(back door)', '(corner lot)', '(new build)'])}${tail}`,
};
