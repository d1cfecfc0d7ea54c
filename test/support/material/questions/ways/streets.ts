/** The street: its type, direction and name. */
import { directionWords, ordinalWords, typeWords, withTypo } from '../words.ts';
import { folded, streetKey } from '../names.ts';
import { oneOf } from '../question.ts';
import { words, type Parts, type Way, type WaysOf } from './way.ts';

/** Abbreviations of types that municipalities and people use beside the register's. */
const otherTypes: Readonly<Record<string, readonly string[]>> = {
  ...{ ST: ['Str', 'Str.', 'Strt'], AVE: ['Av', 'Aven', 'Avn'], CRES: ['Cresc', 'Cr'], BLVD: ['Blv', 'Bvd'] },
  ...{ CRT: ['Ct', 'Crt.'], DR: ['Drv', 'Drive'], LANE: ['Ln', 'La'], TRAIL: ['Trl', 'Tr'], PKY: ['Pkwy', 'Pky'] },
  ...{ GATE: ['Gt', 'Gte'], SQ: ['Sqr'], CIR: ['Circ', 'Crcl'], TERR: ['Terr', 'Terrc', 'Ter'], HTS: ['Hgts'] },
  ...{ GDNS: ['Gdn', 'Grdns'], PL: ['Plc'], WAY: ['Wy'], HWY: ['Hgwy', 'Hwy.'], RD: ['Rd.'], GROVE: ['Grv'] },
};

function inFull(direction: string): string {
  return directionWords[direction]?.[0] ?? direction;
}

/** With the direction in another form or place; only for streets that have one. */
function directed(
  write: (parts: { readonly number: string; name: string; type: string; direction: string }) => string,
): Way {
  return (parts) => (parts.direction === '' ? null : write(parts) + parts.tail);
}

/** With the type in French, which leads. */
function french(write: (line: { number: string; type: string; rest: string }) => string): Way {
  return ({ address, number, name, direction, tail }) => {
    const type = typeWords[address.type]?.[1];
    if (type === undefined || streetKey(name).startsWith('#')) return null;
    return write({ number, type, rest: words(name, directionWords[direction]?.[1] ?? direction) }) + tail;
  };
}

/** One typing error in the name, which makes it no other street of the town. */
const misspelt: Way = ({ address, number, name, type, direction, tail }, random, register) => {
  const typo = /\d/.test(name) ? null : withTypo(name, random);
  if (typo === null || name.length < 6 || register.street(address.municipality, streetKey(typo)).length > 0)
    return null;
  return words(number, typo, type, direction) + tail;
};

export const streetWays: Readonly<Record<string, Way>> = {
  'full words': ({ address, number, name, direction, town, code }) => {
    const type = typeWords[address.type]?.[0];
    return type === undefined ? null : `${words(number, name, type, inFull(direction))}, ${town}, Ontario${code}`;
  },
  'type and direction with full stops': ({ number, name, type, direction, tail }) =>
    type === '' ? null : words(number, name, `${type}.`, direction && `${direction}.`) + tail,
  'another abbreviation of the type': ({ address, number, name, direction, tail }, random) => {
    const types = otherTypes[address.type];
    return types === undefined ? null : words(number, name, oneOf(random, types), direction) + tail;
  },
  'type twice': ({ number, name, type, direction, tail }) =>
    type === '' ? null : words(number, name, type, type, direction) + tail,
  'French type': french(({ number, type, rest }) => `${number} ${type} ${rest}`),
  'French type behind a comma': french(({ number, type, rest }) => `${number}, ${type} ${rest}`),
  'French, number behind': french(({ number, type, rest }) => `${type} ${rest}, ${number}`),
  'both languages': ({ address, number, name, type, direction, tail }) => {
    const leading = typeWords[address.type]?.[1];
    return leading === undefined || /\d/.test(name) ? null : words(number, leading, name, type, direction) + tail;
  },
  'direction in full': directed(({ number, name, type, direction }) => words(number, name, type, inFull(direction))),
  'direction first': directed(({ number, name, type, direction }) => words(number, direction, name, type)),
  'direction first in full': directed(({ number, name, type, direction }) =>
    words(number, inFull(direction), name, type),
  ),
  'direction in the middle': directed(({ number, name, type, direction }) => words(number, name, direction, type)),
  'direction with a full stop': directed(({ number, name, type, direction }) =>
    words(number, name, type, `${direction}.`),
  ),
  'direction behind a comma': directed(
    ({ number, name, type, direction }) => `${words(number, name, type)}, ${direction}`,
  ),
  'ordinal in words': ({ address, number, name, tail }) => {
    const word = ordinalWords[name.toLowerCase()];
    return word === undefined ? null : words(number, word, typeFull(address.type), address.direction) + tail;
  },
  'ordinal in digits': ({ number, name, type, direction, tail }) => {
    const digits = Object.entries(ordinalWords).find(([, word]) => folded(word) === folded(name))?.[0];
    return digits === undefined ? null : words(number, digits, type, direction) + tail;
  },
  'highway in other words': ({ address, number, direction, tail }, random) =>
    address.type === 'HWY' && /^\d+$/.test(address.name)
      ? words(number, oneOf(random, ['Highway', 'Hwy', 'Hwy.', 'Hwy #', 'HWY No.']), address.name, direction).replace(
          '# ',
          '#',
        ) + tail
      : null,
  'Saint in full': ({ number, name, type, direction, tail }) =>
    /^st\.? /i.test(name) ? words(number, name.replace(/^st\.? /i, 'Saint '), type, direction) + tail : null,
  'no apostrophe or hyphen': ({ number, name, type, direction, tail }) =>
    /['’-]/.test(name) ? words(number, name.replace(/['’]/g, '').replaceAll('-', ' '), type, direction) + tail : null,
  // Not where one of the words is the type: "Pumpkin Pass", "Second Line".
  'name in one word': ({ number, name, type, direction, tail }) =>
    /^[A-Z][a-z]{2,} [A-Z][a-z]{2,}$/.test(name) &&
    !/^(?:North|South|East|West|Saint|The) | (?:Line|Pass|Path|Pkwy|Side|Way)$/.test(name) &&
    type !== ''
      ? words(number, name.replace(' ', ''), type, direction) + tail
      : null,
  'name with a hyphen': ({ number, name, type, direction, tail }) =>
    /^[A-Z][a-z]{2,} [A-Z][a-z]{2,}$/.test(name) ? words(number, name.replace(' ', '-'), type, direction) + tail : null,
  'street twice': ({ line, street, tail }) => `${line}, ${street}${tail}`,
  'typing error in the street': misspelt,
};

function typeFull(type: string): string {
  return typeWords[type]?.[0] ?? type;
}

/** Without the direction, where the street has no other half that may be meant. */
function undirected(write: (parts: Parts) => string | null): Way {
  return (parts, _, register) => {
    const { address } = parts;
    const street = register.street(address.municipality, address.key).filter(({ type }) => type === address.type);
    return street.every(({ direction }) => direction === address.direction) ? write(parts) : null;
  };
}

/** Ways that leave something out. */
export const shortWays: readonly WaysOf[] = [
  {
    written: 'without direction',
    ways: {
      'direction left out': undirected(({ number, name, type, direction, tail }) =>
        direction === '' ? null : words(number, name, type) + tail,
      ),
    },
  },
  {
    written: 'name',
    ways: {
      'type left out': ({ number, name, type, direction, tail }) =>
        type === '' || streetKey(name).startsWith('#') ? null : words(number, name, direction) + tail,
      'name alone': undirected(({ number, name, type, tail }) =>
        type === '' || streetKey(name).startsWith('#') ? null : words(number, name) + tail,
      ),
    },
  },
];
