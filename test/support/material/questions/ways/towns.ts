/** Town, province, country and postal code. */
import { withTypo } from '../words.ts';
import { countiesByName, countyOf } from '../counties.ts';
import { folded, titled } from '../names.ts';
import { oneOf } from '../question.ts';
import type { Parts, Way } from './way.ts';

/** Only where the register has a postal code. */
function coded(write: (parts: Parts, code: string) => string): Way {
  return (parts) => {
    const code = parts.address.postalCode;
    return code === '' ? null : write(parts, code);
  };
}

function ending(...endings: readonly string[]): Way {
  return ({ line, town, code }, random) => `${line}, ${town}${oneOf(random, endings).replace('~', code)}`;
}

/** The municipality of today in English. */
function today({ address }: Parts): string {
  return address.csdName.split(' / ')[0]!.replace(/ \(.*|,.*/, '');
}

export const townWays: Readonly<Record<string, Way>> = {
  'no province': ending('~'),
  'Ontario in full': ending(', Ontario~'),
  'Ont.': ending(', Ont.~', ', Ont~'),
  'Ontario in brackets': ending(' (Ontario)~', ' (ON)~'),
  'province twice': ending(', Ontario, ON~'),
  'province beside the town': ending(' ON~'),
  'Canada behind': ending(', ON~, Canada', ', Ontario~ CANADA'),
  'CAN behind': ending(', ON~, CAN', ', ON, CAN'),
  'code with a hyphen': coded(({ line, town }, code) => `${line}, ${town}, ON ${code.slice(0, 3)}-${code.slice(3)}`),
  'code in one word': coded(({ line, town }, code) => `${line}, ${town}, ON ${code}`),
  'code in lower case': coded(({ line, town }, code) => `${line}, ${town}, on ${code.toLowerCase()}`),
  'code with letters for digits': coded(
    ({ line, town }, code) => `${line}, ${town}, ON ${code.replaceAll('0', 'O').replaceAll('1', 'I')}`,
  ),
  'code before the town': coded(({ line, town }, code) => `${line}, ${code.slice(0, 3)} ${code.slice(3)} ${town}, ON`),
  'code first': coded(({ line, town }, code) => `${code.slice(0, 3)} ${code.slice(3)}, ${line}, ${town}, ON`),
  'code without province': coded(({ line, town }, code) => `${line}, ${town} ${code.slice(0, 3)} ${code.slice(3)}`),
  'code without town': coded(({ line }, code) => `${line}, ON ${code.slice(0, 3)} ${code.slice(3)}`),
  'City of': ({ line, town }, random) =>
    countiesByName.has(folded(town)) || / of /i.test(town)
      ? null
      : `${line}, ${oneOf(random, ['City of', 'Town of'])} ${town}, ON`,
  'town first': ({ line, town }) => `${town}, ${line}`,
  'province and town first': ({ line, town }) => `Ontario, ${town}, ${line}`,
  'town twice': ({ line, town, code }) => `${line}, ${town}, ${town}, ON${code}`,
  'town of today': (parts) =>
    folded(today(parts)) === folded(parts.town) ? null : `${parts.line}, ${today(parts)}, ON${parts.code}`,
  'former town and today': (parts) =>
    folded(today(parts)) === folded(parts.town)
      ? null
      : `${parts.line}, ${parts.town}, ${today(parts)}, ON${parts.code}`,
  'county behind': ({ address, line, town, code }) => {
    const county = countyOf(address.csd);
    return county === null || county.kind === 'counties'
      ? null
      : `${line}, ${town}, ${county.name} ${titled(county.kind)}, ON${code}`;
  },
  'county with Co.': ({ address, line, town, code }) => {
    const county = countyOf(address.csd);
    return county?.kind === 'county' ? `${line}, ${town}, ${county.name} Co., ON${code}` : null;
  },
  'Saint in the town': ({ line, town, code }) =>
    /^St\.? /.test(town) ? `${line}, ${town.replace(/^St\.? /, 'Saint ')}, ON${code}` : null,
  'hyphens in the town': ({ line, town, code }) =>
    / /.test(town) && !/\./.test(town) ? `${line}, ${town.replaceAll(' ', '-')}, ON${code}` : null,
  'typing error in the town': ({ line, town, code }, random, register) => {
    const typo = withTypo(town, random);
    return typo === null || town.length < 6 || register.isPlace(typo) ? null : `${line}, ${typo}, ON${code}`;
  },
};
