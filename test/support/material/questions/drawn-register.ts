/** A register drawn by hand that has for each class of questions what it needs, and little else: real towns, made-up streets. */
import type { RegisterRow } from '../small-register.ts';

interface Town {
  readonly mail: string;
  readonly csd: readonly [code: number, name: string, french?: string];
  readonly at: readonly [lat: number, lon: number];
  /** First half of its postal codes; none where the register has no codes. */
  readonly area?: string;
}

const toronto = [3520005, 'Toronto'] as const;
const sudbury = [3553005, 'Greater Sudbury / Grand Sudbury', 'Grand Sudbury'] as const;
const hamilton = [3525005, 'Hamilton'] as const;
const kingston = [3510010, 'Kingston'] as const;

const towns = {
  barrie: { mail: 'BARRIE', csd: [3543042, 'Barrie'], at: [44.389, -79.69], area: 'L4M' },
  simcoe: { mail: 'SIMCOE', csd: [3528052, 'Norfolk County'], at: [42.837, -80.304], area: 'N3Y' },
  newmarket: { mail: 'NEWMARKET', csd: [3519048, 'Newmarket'], at: [44.056, -79.461] },
  toronto: { mail: 'TORONTO', csd: toronto, at: [43.653, -79.383], area: 'M5H' },
  york: { mail: 'YORK', csd: toronto, at: [43.69, -79.49], area: 'M6E' },
  eastYork: { mail: 'EAST YORK', csd: toronto, at: [43.69, -79.33], area: 'M4C' },
  weston: { mail: 'WESTON', csd: toronto, at: [43.7, -79.516], area: 'M9N' },
  scarborough: { mail: 'SCARBOROUGH', csd: toronto, at: [43.773, -79.257], area: 'M1P' },
  guelph: { mail: 'GUELPH', csd: [3523008, 'Guelph'], at: [43.545, -80.248], area: 'N1H' },
  wellington: { mail: 'WELLINGTON', csd: [3513020, 'Prince Edward County'], at: [43.952, -77.35], area: 'K0K' },
  hawkesbury: { mail: 'HAWKESBURY', csd: [3502023, 'Hawkesbury'], at: [45.607, -74.604], area: 'K6A' },
  eastHawkesbury: { mail: 'EAST HAWKESBURY', csd: [3502001, 'East Hawkesbury'], at: [45.52, -74.46], area: 'K0B' },
  dundas: { mail: 'DUNDAS', csd: hamilton, at: [43.266, -79.953], area: 'L9H' },
  flamborough: { mail: 'FLAMBOROUGH', csd: hamilton, at: [43.36, -80.0], area: 'L0R' },
  hamilton: { mail: 'HAMILTON', csd: hamilton, at: [43.255, -79.871], area: 'L8P' },
  winchester: { mail: 'WINCHESTER', csd: [3501030, 'North Dundas'], at: [45.09, -75.35], area: 'K0C' },
  perth: { mail: 'PERTH', csd: [3509021, 'Perth'], at: [44.9, -76.25], area: 'K7H' },
  brampton: { mail: 'BRAMPTON', csd: [3521010, 'Brampton'], at: [43.685, -79.76], area: 'L6V' },
  malton: { mail: 'MALTON', csd: [3521005, 'Mississauga'], at: [43.7, -79.64], area: 'L4T' },
  kingston: { mail: 'KINGSTON', csd: kingston, at: [44.231, -76.486], area: 'K7L' },
  sydenham: { mail: 'SYDENHAM', csd: [3510035, 'South Frontenac'], at: [44.41, -76.6], area: 'K0H' },
  siouxLookout: { mail: 'SIOUX LOOKOUT', csd: [3560034, 'Sioux Lookout'], at: [50.1, -91.92], area: 'P8T' },
  durham: { mail: 'DURHAM', csd: [3542004, 'West Grey'], at: [44.176, -80.817], area: 'N0G' },
  oshawa: { mail: 'OSHAWA', csd: [3518013, 'Oshawa'], at: [43.897, -78.863], area: 'L1G' },
  thunderBay: { mail: 'THUNDER BAY', csd: [3558004, 'Thunder Bay'], at: [48.41, -89.26], area: 'P7B' },
  brockville: { mail: 'BROCKVILLE', csd: [3507015, 'Brockville'], at: [44.59, -75.684], area: 'K6V' },
  lyn: { mail: 'LYN', csd: [3507014, 'Elizabethtown-Kitley'], at: [44.577, -75.786], area: 'K0E' },
  milton: { mail: 'MILTON', csd: [3524009, 'Milton'], at: [43.513, -79.883], area: 'L9T' },
  sudbury: { mail: 'SUDBURY', csd: sudbury, at: [46.49, -81.0], area: 'P3E' },
  greaterSudbury: { mail: 'GREATER SUDBURY', csd: sudbury, at: [46.58, -81.2] },
  lively: { mail: 'GREATER SUDBURY', csd: sudbury, at: [46.43, -81.15] },
  bradford: { mail: 'BRADFORD', csd: [3543014, 'Bradford West Gwillimbury'], at: [44.115, -79.56], area: 'L3Z' },
  welland: { mail: 'WELLAND', csd: [3526032, 'Welland'], at: [42.992, -79.248], area: 'L3C' },
  ottawa: { mail: 'OTTAWA', csd: [3506008, 'Ottawa'], at: [45.42, -75.7], area: 'K1P' },
  saintThomas: { mail: 'ST. THOMAS', csd: [3534021, 'St. Thomas'], at: [42.778, -81.19], area: 'N5R' },
  owenSound: { mail: 'OWEN SOUND', csd: [3542059, 'Owen Sound'], at: [44.567, -80.943], area: 'N4K' },
} satisfies Readonly<Record<string, Town>>;

const DEGREES_OF_STREET = 0.005;

/** About 4 m. */
const DEGREES_OF_NUMBER = 0.00005;

const CODE_ENDINGS = ['1A1', '1B2', '1C3', '2A4', '2B5', '2C6', '3A7', '3B8'];

/** Rows that only the tests know. */
const withheld = new Set<RegisterRow>();

export function isWithheld(row: RegisterRow): boolean {
  return withheld.has(row);
}

/** The streets of a town, one north of the other: "Queen ST W" and its numbers; those behind "without" are withheld. */
function streetsOf(town: Town, streets: Readonly<Record<string, string>>): RegisterRow[] {
  return Object.entries(streets).flatMap(([street, numbers], i) => {
    const [, name = '', type = '', direction = ''] = /^(.+?)(?: ([A-Z]{2,}))?(?: ([NSEW]))?$/.exec(street)!;
    const [served = '', held = ''] = numbers.split('without');
    const first = Number(/\d+/.exec(numbers)![0]);
    return [served, held].flatMap((list) =>
      list
        .split(' ')
        .filter(Boolean)
        .map((text) => {
          const [, civic = '', suffix = ''] = /^(\d+)(.*)$/.exec(text)!;
          const [lat, lon] = town.at;
          const row: RegisterRow = {
            ...{ civic: Number(civic), suffix, street: [name, type, direction], mail: town.mail, csd: town.csd },
            at: [
              lat + i * DEGREES_OF_STREET + (Number(civic) % 2) * 2 * DEGREES_OF_NUMBER,
              lon + (Number(civic) - first) * DEGREES_OF_NUMBER,
            ],
            postalCode: town.area === undefined ? '' : town.area + CODE_ENDINGS[i % CODE_ENDINGS.length]!,
          };
          if (list === held) withheld.add(row);
          return row;
        }),
    );
  });
}

export const drawnRegister: readonly RegisterRow[] = [
  ...streetsOf(towns.barrie, { 'Queen ST': '98 100 102 104', 'Bayfield ST': '12 14A 16', 'Mapleview DR E': '400 402' }),
  ...streetsOf(towns.simcoe, { 'Queen ST': '100 102', 'Norfolk ST N': '55 57' }),
  ...streetsOf(towns.newmarket, { 'Main ST S': '190 194 200', 'King ST W': '20 22', 'Davis DR': '530 532 534' }),
  ...streetsOf(towns.toronto, {
    'Main ST': '196 198 200',
    'Abilene DR': '25 27 29 31 without 77',
    'Queen ST W': '100 102',
  }),
  ...streetsOf(towns.york, { 'King ST W': '20 24', 'Harvie AVE': '390 394', 'John ST': '4 6' }),
  ...streetsOf(towns.eastYork, { 'Cosburn AVE': '300 302 304' }),
  ...streetsOf(towns.weston, { 'King ST': '10 12 14' }),
  ...streetsOf(towns.scarborough, { 'King ST': '12 300 302', 'Nelson ST': '28 30' }),
  ...streetsOf(towns.guelph, { 'Norfolk ST': '55 57 59', 'Woolwich ST': '110 112' }),
  ...streetsOf(towns.wellington, { 'Main ST': '100 102', 'Norfolk ST': '55 57' }),
  ...streetsOf(towns.hawkesbury, { 'Main ST E': '250 252', 'Ghislain ST': '1060 1062' }),
  ...streetsOf(towns.eastHawkesbury, { 'Front RD': '12 14 16' }),
  ...streetsOf(towns.dundas, { 'Main ST': '50 52', 'Church ST': '500 502' }),
  ...streetsOf(towns.flamborough, { 'Concession 8 W': '1198 1200', 'Brock RD': '700 702' }),
  ...streetsOf(towns.hamilton, { 'Church ST': '10 12', 'Rymal RD E': '60 62' }),
  ...streetsOf(towns.winchester, { 'St. Lawrence ST': '510 512' }),
  ...streetsOf(towns.perth, { 'Gore ST E': '20 22', 'Harvey ST': '7 9' }),
  ...streetsOf(towns.brampton, { 'Main ST N': '300 366 368', 'Main ST S': '8 10 12', 'Queen ST W': '625 627' }),
  ...streetsOf(towns.malton, { 'Main ST': '100 102' }),
  ...streetsOf(towns.kingston, {
    ...{
      'Princess ST': '5 7 100 110 112 114 3482 3484 without 116',
      'Daly ST': '10 12 14',
      'Dale ST': 'without 12 16',
    },
    ...{ 'King ST E': '389 390 393', 'King ST W': '600 602 without 391 390', 'Fourth AVE': '14 16' },
    ...{ 'West Park ST': '150 152', 'Park ST': '11 13', 'Airport RD': '5 7', 'Basswood PL': '12 14' },
    ...{ 'Grosvenor CRT': '45 47', 'Concession 5': '12 14 16', 'Johnson ST': '50 52' },
    ...{ 'Spadina RD': '8 10', 'Spadina AVE': '330 332' },
  }),
  ...streetsOf(towns.sydenham, { '7 HWY': '1500 1502', '15 HWY': '900 902', 'Concession 5': '100 102' }),
  ...streetsOf(towns.siouxLookout, { 'Fourth AVE': '14 18' }),
  ...streetsOf(towns.durham, { 'King ST': '200 202', 'Garafraxa ST N': '311 313' }),
  ...streetsOf(towns.oshawa, { 'Simcoe ST N': '90 92' }),
  ...streetsOf(towns.thunderBay, { 'Dawson RD': '1020 1022' }),
  ...streetsOf(towns.brockville, { 'King ST E': '61 63', 'County RD': '1803 1805' }),
  ...streetsOf(towns.lyn, { 'County Road 29': '1803 1807', 'County Road 28': '20 22' }),
  ...streetsOf(towns.milton, { 'Main ST E': '61 63', 'Derry RD': '8000 8002' }),
  ...streetsOf(towns.sudbury, { 'Albert ST': '9 11', 'Elm ST': '30 32', 'LaSalle BLVD': '1000 1002' }),
  ...streetsOf(towns.greaterSudbury, { 'Albert ST': '321 323 349 351' }),
  ...streetsOf(towns.lively, { 'Albert ST': '7 11 without 337' }),
  ...streetsOf(towns.bradford, {
    ...{
      'Simcoe RD': '691 693',
      '5 SIDERD': '900 902',
      '5E SIDERD': '100 102',
      '10 SIDERD': '40 42',
      '9th LINE': '30 32',
    },
  }),
  ...streetsOf(towns.welland, { 'Dale AVE': '20 22', 'Niagara ST': '453 455', 'Centre ST': '123 125' }),
  ...streetsOf(towns.ottawa, { "O'Connor ST": '50 52', 'Island Park DR': '300 302' }),
  ...streetsOf(towns.saintThomas, { 'Talbot ST': '1050 1052', 'Elm GATE': '20 22' }),
  ...streetsOf(towns.owenSound, { '9th AVE E': '123 125', '10th ST W': '300 302', '9th AVE W': '700 702' }),
];
