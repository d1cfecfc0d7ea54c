/** The sample's waters, wetlands and watersheds. Every shape and name is made up. */
import { ellipse, feature, outline, rectangle, ribbon, type Feature, type Metres } from './frame.ts';
import { fiddlehead, mapleSample, petitEchantillon, sampleton } from './places.ts';

/** Sample Creek, west to east through Sampleton; straight between e = -400 and 800, where streets cross it. */
export const creek: readonly Metres[] = [
  [-2500, -600],
  [-1200, -540],
  [-400, -500],
  [800, -500],
  [1600, -450],
  [2600, -520],
];

/** The shore of the made-up part of a Great Lake, west to east. */
export const lakeSampleShore: readonly Metres[] = [
  [-9000, -650],
  [-2000, -770],
  [-500, -800],
  [500, -800],
  [1800, -760],
  [9000, -600],
];

const river: readonly Metres[] = [
  [950, -850],
  [900, -300],
  [900, 600],
  [1000, 1300],
  [900, 3000],
];

const lake: readonly Metres[] = [
  [-900, 0],
  [-900, 600],
  [-1150, 1000],
  [-1700, 1050],
  [-2000, 600],
  [-1800, 150],
  [-1300, -80],
];

export const water: Readonly<Record<string, readonly Feature[]>> = {
  ohn_watercourse: [
    feature(sampleton.line(creek), stream('Sample Creek')),
    feature(
      fiddlehead.line([
        [-3500, 900],
        [-1500, 700],
        [-500, 1050],
        [600, 1100],
        [1900, 1500],
        [3500, 1300],
      ]),
      stream('Fiddlehead Creek'),
    ),
    feature(
      petitEchantillon.line([
        [-900, 300],
        [-500, 420],
        [400, 700],
        [1500, 650],
        [5200, -900],
      ]),
      stream('Ruisseau Exemple'),
    ),
    // Left out at import: it only joins the network through the lake.
    feature(
      petitEchantillon.line([
        [-1900, 500],
        [-900, 300],
      ]),
      { WATERCOURSE_TYPE: 'Virtual Flow', OFFICIAL_NAME_LABEL: null, PERMANENCY: 'Permanent' },
    ),
  ],
  ohn_waterbody: [
    feature(mapleSample.polygon([...lakeSampleShore, [9000, -7000], [-9000, -7000]]), {
      WATERBODY_TYPE: 'Lake',
      OFFICIAL_NAME_LABEL: 'Lake Ontario',
      PERMANENCY: 'Permanent',
    }),
    feature(mapleSample.polygon(ribbon(river, 25, true)), {
      WATERBODY_TYPE: 'River',
      OFFICIAL_NAME_LABEL: 'Sample River',
      PERMANENCY: 'Permanent',
    }),
    feature(petitEchantillon.polygon(lake, ellipse([-1450, 520], 90, 70)), {
      WATERBODY_TYPE: 'Lake',
      OFFICIAL_NAME_LABEL: 'Lac Exemple',
      PERMANENCY: 'Permanent',
    }),
    feature(fiddlehead.polygon(ellipse([-1300, 2300], 130, 90)), {
      WATERBODY_TYPE: 'Pond',
      OFFICIAL_NAME_LABEL: null,
      PERMANENCY: 'Permanent',
    }),
  ],
  ohn_shoreline: [feature(mapleSample.line(lakeSampleShore), { OFFICIAL_NAME_LABEL: 'Lake Ontario' })],
  wetland: [
    feature(
      fiddlehead.polygon([
        [1800, 1800],
        [1800, 2300],
        [2100, 2450],
        [2500, 2250],
        [2450, 1850],
        [2100, 1700],
      ]),
      {
        WETLAND_TYPE: 'Marsh',
        WETLAND_SIGNIFICANCE: 'Evaluated-Provincial',
        EVALUATED_WETLAND_NAME: 'Sample Marsh',
        EVALUATED_WETLAND_IND: 'Yes',
        SYSTEM_CALCULATED_AREA: 402_000.5,
        LOCATION_ACCURACY: 'Within 10 metres',
      },
    ),
    feature(mapleSample.polygon(ellipse([1350, -620], 220, 90)), {
      WETLAND_TYPE: 'Swamp',
      WETLAND_SIGNIFICANCE: null,
      EVALUATED_WETLAND_NAME: 'Sample River Mouth',
      EVALUATED_WETLAND_IND: 'Yes',
      SYSTEM_CALCULATED_AREA: 62_000,
      LOCATION_ACCURACY: 'Within 20 metres',
    }),
    // Beside houses: evaluated, and not provincially significant.
    feature(mapleSample.polygon(ellipse([735, 120], 60, 30)), {
      WETLAND_TYPE: 'Marsh',
      WETLAND_SIGNIFICANCE: null,
      EVALUATED_WETLAND_NAME: 'Sample Hollow',
      EVALUATED_WETLAND_IND: 'Yes',
      SYSTEM_CALCULATED_AREA: 5650,
      LOCATION_ACCURACY: 'Within 20 metres',
    }),
    feature(petitEchantillon.polygon(ellipse([5200, -400], 260, 170)), {
      WETLAND_TYPE: 'Bog',
      WETLAND_SIGNIFICANCE: null,
      EVALUATED_WETLAND_NAME: null,
      EVALUATED_WETLAND_IND: 'No',
      SYSTEM_CALCULATED_AREA: 138_000,
      LOCATION_ACCURACY: 'Within 100 metres',
    }),
  ],
  owb_tertiary: [
    feature(outline([-79.0, 43.7], [-77.8, 43.7], [-77.8, 44.3], [-79.0, 44.3]), {
      WATERSHED_CODE: '9SA',
      WATERSHED_NAME: 'Sample River',
    }),
    feature(outline([-79.6, 44.1], [-79.0, 44.1], [-79.0, 44.5], [-79.6, 44.5]), {
      WATERSHED_CODE: '9SB',
      WATERSHED_NAME: 'Fiddlehead Creek',
    }),
    feature(outline([-81.6, 48.2], [-80.4, 48.2], [-80.4, 48.8], [-81.6, 48.8]), {
      WATERSHED_CODE: '9SC',
      WATERSHED_NAME: 'Upper Example',
    }),
  ],
  well_records: wells(),
  constructed_drain: [
    feature(
      fiddlehead.line([
        [300, -2200],
        [2600, -2200],
      ]),
      { NAME: 'Sample Municipal Drain', DFO_CLASS: 'F' },
    ),
    feature(
      fiddlehead.line([
        [2600, -2200],
        [2700, -3300],
      ]),
      { NAME: 'Sample Municipal Drain', DFO_CLASS: 'C' },
    ),
  ],
  tile_drainage_area: [
    feature(fiddlehead.polygon(rectangle(400, -2900, 2900, -1400))),
    feature(fiddlehead.polygon(rectangle(1700, 1400, 3300, 1750))),
  ],
};

function stream(name: string): Feature['properties'] {
  return { WATERCOURSE_TYPE: 'Stream', OFFICIAL_NAME_LABEL: name, PERMANENCY: 'Permanent' };
}

/** Rural wells beside the roads of Fiddlehead and the highway in the north; none in the towns. Other records stand among them. */
function wells(): Feature[] {
  const spots: readonly (readonly [typeof fiddlehead, Metres, number | null])[] = [
    ...[-2900, -2350, -1500, -700, 250, 900, 1450, 2200, 2800].map(
      (east, i) => [fiddlehead, [east, i % 2 ? 60 : -70], 12.5 + i * 4.3] as const,
    ),
    ...[-2600, -1300, 1400, 2000, 2700].map(
      (north, i) => [fiddlehead, [60, north], i === 2 ? null : 22.1 + i * 6] as const,
    ),
    ...[4300, 5400, 6700].map((east, i) => [petitEchantillon, [east, -150], 48.8 + i * 7.5] as const),
    [mapleSample, [-1500, 1450], 18.3],
    ...[-1450, 260, 2190].map((east) => [fiddlehead, [east, 10], 6.1] as const),
  ];
  return spots.map(([board, at, depth], i) =>
    feature(board.point(at), {
      // Numbers of records begin with zeros.
      WELL_ID: `0${9_900_001 + i}`,
      DEPTH_M: depth,
      ...kindOf(spots.length - 1 - i),
      COMPLETED_YEAR: 1978 + 2 * i,
    }),
  );
}

/** What the last records are; all others are water wells by their status. */
function kindOf(fromLast: number): Feature['properties'] {
  switch (fromLast) {
    case 2:
      return { FINAL_STATUS_DESCR: 'Test Hole', USE1: 'Monitoring', USE2: null };
    case 1:
      // The use tells where the status does not.
      return { FINAL_STATUS_DESCR: null, USE1: ' ', USE2: 'Livestock' };
    case 0:
      return { FINAL_STATUS_DESCR: 'Alteration', USE1: null, USE2: null };
    default:
      return { FINAL_STATUS_DESCR: 'Water Supply', USE1: 'Domestic', USE2: ' ' };
  }
}
