/** The sample's four made-up places and their streets. Streets and postal codes are made up too. */
import { frame, type Metres } from './frame.ts';

export const sampleton = frame([-78.6, 44.1]);
export const mapleSample = frame([-78.2, 43.96]);
export const fiddlehead = frame([-79.3, 44.3]);
export const petitEchantillon = frame([-81, 48.5]);

/** A mailing place: the register's municipality (census subdivision), its names and the first half of its postal codes. */
export interface Place {
  readonly mail: string;
  readonly csd: { readonly code: string; readonly name: string; readonly french?: string; readonly type: string };
  readonly fsa: string;
  readonly board: typeof sampleton;
}

export interface Street {
  readonly place: Place;
  readonly name: string;
  readonly type: string;
  readonly direction?: string;
  readonly from: Metres;
  /** Unit vector of the street. */
  readonly heading: Metres;
  /** Metres along the street; one civic address each. */
  readonly stations: readonly number[];
  /** Civic numbers count from here in steps of 3, so that both sides of the street occur. */
  readonly firstCivic: number;
  /** Metres from the middle of the street to the door. */
  readonly setback: number;
  readonly suffixes?: readonly string[];
  /** Civic number -> its units. */
  readonly units?: Readonly<Record<number, readonly string[]>>;
  /** The register knows the side of the street, not the building. */
  readonly blockfaceOnly?: boolean;
  readonly withoutPostalCode?: boolean;
}

const S: Place = {
  mail: 'SAMPLETON',
  csd: { code: '3599001', name: 'Sampleton', type: 'CY' },
  fsa: 'L0X',
  board: sampleton,
};
const M: Place = {
  mail: 'MAPLE SAMPLE',
  csd: { code: '3599002', name: 'Maple Sample', type: 'T' },
  fsa: 'K0X',
  board: mapleSample,
};
const F: Place = {
  mail: 'FIDDLEHEAD CORNERS',
  csd: { code: '3599003', name: 'Fiddlehead', type: 'TP' },
  fsa: 'L0Z',
  board: fiddlehead,
};
const P: Place = {
  mail: 'PETIT-ÉCHANTILLON',
  csd: { code: '3599004', name: 'Little Sample', french: 'Petit-Échantillon', type: 'MU' },
  fsa: 'P0Z',
  board: petitEchantillon,
};
/** Beyond the municipality's boundary, with the same mailing name. */
const unorganized: Place = { ...P, csd: { code: '3599090', name: 'Northsample, Unorganized', type: 'NO' } };
const reserve: Place = { ...P, csd: { code: '3599005', name: 'Sample Lake 5', type: 'IRI' } };

const east: Metres = [1, 0];
const west: Metres = [-1, 0];
const north: Metres = [0, 1];
const every = (spacing: number, count: number): number[] => Array.from({ length: count }, (_, i) => spacing * (i + 1));

/** A street that leads away from a feature's edge: stations are distances from the edge, negative ones lie inside. */
const ladder = { setback: 0 };
const row = { setback: 14 };

export const streets: readonly Street[] = [
  {
    ...row,
    place: S,
    name: 'Main',
    type: 'ST',
    direction: 'W',
    from: [0, 0],
    heading: west,
    stations: every(70, 10),
    firstCivic: 12,
  },
  {
    ...row,
    place: S,
    name: 'Main',
    type: 'ST',
    direction: 'E',
    from: [0, 0],
    heading: east,
    stations: every(70, 10),
    firstCivic: 10,
    units: { 22: ['101', '102', '103', '201', '202', '203', 'PH1', 'PH2'], 31: ['A', 'B'], 34: ['BSMT'] },
  },
  {
    ...row,
    place: S,
    name: 'Maple',
    type: 'AVE',
    from: [-300, -700],
    heading: north,
    stations: [60, 150, 238, 350, 500, 620],
    firstCivic: 3,
  },
  {
    ...row,
    place: S,
    name: 'Pine',
    type: 'CRES',
    from: [250, 420],
    heading: east,
    stations: every(45, 6),
    firstCivic: 12,
    suffixes: ['', 'A', 'B', '', '1/2', ''],
  },
  {
    ...row,
    place: S,
    name: 'de la Fontaine',
    type: 'RUE',
    from: [-800, 300],
    heading: east,
    stations: every(80, 6),
    firstCivic: 5,
    withoutPostalCode: true,
  },
  {
    ...ladder,
    place: S,
    name: 'Old Mill',
    type: 'RD',
    from: [200, -500],
    heading: north,
    stations: [1, 10, 22, 70, 115, 300],
    firstCivic: 2,
  },
  {
    ...ladder,
    place: S,
    name: 'Station',
    type: 'ST',
    from: [620, 250],
    heading: west,
    stations: [20, 60, 150, 240, 420],
    firstCivic: 4,
  },
  {
    ...ladder,
    place: S,
    name: 'Pylon',
    type: 'WAY',
    from: [100, 1000],
    heading: north,
    stations: [30, 100, 220],
    firstCivic: 11,
  },
  {
    ...ladder,
    place: S,
    name: 'Landfill',
    type: 'RD',
    from: [-1300, 900],
    heading: east,
    stations: [-60, 20, 300, 700],
    firstCivic: 100,
  },
  {
    ...ladder,
    place: S,
    name: 'Windsock',
    type: 'RD',
    from: [2000, 1500],
    heading: west,
    stations: [-100, 500, 1600],
    firstCivic: 1,
  },

  {
    ...row,
    place: M,
    name: 'Harbour',
    type: 'ST',
    from: [-700, -300],
    heading: east,
    stations: every(80, 9),
    firstCivic: 20,
  },
  {
    ...row,
    place: M,
    name: 'Main',
    type: 'ST',
    direction: '',
    from: [-500, 0],
    heading: east,
    stations: every(90, 7),
    firstCivic: 12,
    units: { 15: ['1', '2', '3'] },
  },
  {
    ...row,
    place: M,
    name: 'Ontario',
    type: 'ST',
    from: [-500, 250],
    heading: east,
    stations: every(90, 6),
    firstCivic: 8,
  },
  {
    ...row,
    place: M,
    name: 'St. Sample',
    type: 'AVE',
    from: [300, 400],
    heading: north,
    stations: every(60, 5),
    firstCivic: 2,
  },
  {
    ...ladder,
    place: M,
    name: 'Wharf',
    type: 'LANE',
    from: [0, -800],
    heading: north,
    stations: [-30, 8, 23, 85, 300],
    firstCivic: 1,
  },
  {
    ...ladder,
    place: M,
    name: 'Bridge',
    type: 'ST',
    from: [875, 200],
    heading: west,
    stations: [-25, 10, 23, 90, 240],
    firstCivic: 6,
  },
  {
    ...row,
    place: M,
    name: 'County Road 9',
    type: '',
    from: [-2400, 1500],
    heading: east,
    stations: every(600, 7),
    firstCivic: 1301,
  },

  {
    ...row,
    place: F,
    name: 'Concession 4',
    type: '',
    from: [-3400, 0],
    heading: east,
    stations: every(500, 12),
    firstCivic: 1200,
    blockfaceOnly: true,
  },
  {
    ...row,
    place: F,
    name: '99',
    type: 'HWY',
    from: [100, -3100],
    heading: north,
    stations: every(500, 11),
    firstCivic: 5201,
  },
  {
    ...row,
    place: F,
    name: '15',
    type: 'SIDERD',
    from: [1500, -1200],
    heading: north,
    stations: every(550, 7),
    firstCivic: 301,
  },
  {
    ...row,
    place: F,
    name: 'Church',
    type: 'ST',
    from: [-220, 500],
    heading: east,
    stations: every(60, 6),
    firstCivic: 1,
  },
  {
    ...row,
    place: F,
    name: 'du Rang',
    type: 'CH',
    from: [2300, 300],
    heading: north,
    stations: every(300, 5),
    firstCivic: 40,
  },
  {
    ...ladder,
    place: F,
    name: 'Marsh',
    type: 'RD',
    from: [1800, 2050],
    heading: west,
    stations: [-60, 15, 80, 200],
    firstCivic: 10,
  },
  {
    ...ladder,
    place: F,
    name: 'Quarry',
    type: 'LINE',
    from: [-1600, -1500],
    heading: east,
    stations: [-80, 150, 400, 900],
    firstCivic: 77,
  },
  {
    ...ladder,
    place: F,
    name: 'Drain',
    type: 'RD',
    from: [1200, -2200],
    heading: north,
    stations: [5, 21, 70],
    firstCivic: 9,
  },
  {
    ...ladder,
    place: F,
    name: 'Derrick',
    type: 'LANE',
    from: [2500, -800],
    heading: west,
    stations: [40, 140, 400],
    firstCivic: 3,
  },

  {
    ...row,
    place: P,
    name: 'Principale',
    type: 'RUE',
    from: [-400, 0],
    heading: east,
    stations: every(80, 10),
    firstCivic: 14,
  },
  {
    ...row,
    place: P,
    name: "de l'Église",
    type: 'RUE',
    from: [0, 60],
    heading: north,
    stations: every(70, 5),
    firstCivic: 2,
  },
  {
    ...row,
    place: P,
    name: 'Spruce',
    type: 'ST',
    from: [300, 60],
    heading: north,
    stations: every(70, 6),
    firstCivic: 5,
  },
  {
    ...ladder,
    place: P,
    name: 'du Lac',
    type: 'CH',
    from: [-900, 300],
    heading: east,
    stations: [-40, 9, 23, 110],
    firstCivic: 1,
  },
  {
    ...row,
    place: P,
    name: 'Campground',
    type: 'RD',
    from: [-2400, -1500],
    heading: east,
    stations: every(250, 3),
    firstCivic: 1,
  },
  {
    ...row,
    place: reserve,
    name: 'Sweetgrass',
    type: 'TRAIL',
    from: [1700, 1300],
    heading: east,
    stations: every(150, 5),
    firstCivic: 11,
  },
  {
    ...row,
    place: unorganized,
    name: '198',
    type: 'HWY',
    from: [4000, -200],
    heading: east,
    stations: every(500, 6),
    firstCivic: 9001,
  },
];
