/** The sample's soils, nature and industry. Every shape and name is made up. */
import { ellipse, feature, outline, rectangle, type Feature, type Metres } from './frame.ts';
import { fiddlehead, mapleSample, petitEchantillon, sampleton } from './places.ts';

const soilStrips = ['1', '2', '3', '4', '5', '6', '7', 'O'].map((code, i) => {
  const west = -3600 + i * 900;
  return feature(fiddlehead.polygon(rectangle(west, -3400, west + 900, 3300)), soil(code, `Sample loam ${i + 1}`));
});

export const land: Readonly<Record<string, readonly Feature[]>> = {
  soil_survey_complex: [
    ...soilStrips,
    feature(mapleSample.polygon(rectangle(-3000, -700, 3000, 2600)), soil('1', 'Maple clay')),
    feature(mapleSample.polygon(rectangle(-3000, -1500, 3000, -700)), soil('W', 'Water')),
    // As in the real survey: a town is mapped, but its soil has no rating.
    feature(sampleton.polygon(ellipse([0, 0], 1100, 860)), soil(null, 'URBAN')),
  ],
  ecoregion: [
    feature(outline([-80.2, 43.4], [-77.0, 43.4], [-77.0, 44.8], [-80.2, 44.8]), {
      ECOREGION_CODE: '6E',
      ECOREGION_NAME: 'Sample Lakes',
    }),
    feature(outline([-83.0, 47.5], [-79.6, 47.5], [-79.6, 49.5], [-83.0, 49.5]), {
      ECOREGION_CODE: '3E',
      ECOREGION_NAME: 'Sample Shield',
    }),
  ],
  ansi: [
    feature(fiddlehead.polygon(ellipse([-2900, 200], 500, 700)), {
      ANSI_NAME: 'Sample Cliffs',
      CLASS_SUBTYPE: 'ANSI, Earth Science',
      ANSI_SIGNIFICANCE: 'Provincial',
    }),
    feature(fiddlehead.polygon(ellipse([1900, 2100], 800, 500)), {
      ANSI_NAME: 'Sample Marsh',
      CLASS_SUBTYPE: 'ANSI, Life Science',
      ANSI_SIGNIFICANCE: 'Regional',
    }),
    // Not confirmed: only the evidence tells of it.
    feature(petitEchantillon.polygon(ellipse([-2600, 1100], 500, 400)), {
      ANSI_NAME: 'Sample Barrens',
      CLASS_SUBTYPE: 'Candidate ANSI, Earth Science',
      ANSI_SIGNIFICANCE: 'Provincial',
    }),
    // Of a kind that no definition knows.
    feature(petitEchantillon.polygon(ellipse([6500, -250], 700, 500)), {
      ANSI_NAME: 'Sample Hills',
      CLASS_SUBTYPE: 'Proposed ANSI',
      ANSI_SIGNIFICANCE: 'Local',
    }),
  ],
  wooded_area: [
    feature(fiddlehead.polygon(ellipse([-1500, -500], 420, 380))),
    feature(fiddlehead.polygon(ellipse([800, 2300], 520, 420))),
    feature(sampleton.polygon(ellipse([1400, -900], 380, 260))),
    // A forest around the northern village: the village is a hole in it.
    feature(petitEchantillon.polygon(ellipse([1800, 0], 6500, 2400), ellipse([50, 150], 560, 430))),
  ],
  provincial_park_regulated: [
    feature(petitEchantillon.polygon(ellipse([-2000, -1400], 900, 620)), {
      PROTECTED_SITE_IDENT: 'P9901',
      PROTECTED_AREA_NAME_ENG: 'LAC EXEMPLE PROVINCIAL PARK (RECREATIONAL CLASS)',
      COMMON_SHORT_NAME: null,
      PROVINCIAL_PARK_CLASS_ENG: 'Recreational',
      TYPE_ENG: 'Provincial Park',
      STATUS_ENG: 'Regulated',
    }),
    // No provincial park, though it is in the layer.
    feature(petitEchantillon.polygon(ellipse([-2600, 1100], 300, 250)), {
      PROTECTED_SITE_IDENT: 'F9902',
      PROTECTED_AREA_NAME_ENG: 'SAMPLE NORTH',
      COMMON_SHORT_NAME: null,
      PROVINCIAL_PARK_CLASS_ENG: 'Unclassified',
      TYPE_ENG: 'Protected Area - Far North',
      STATUS_ENG: 'Regulated',
    }),
  ],
  conservation_reserve_regulated: [
    feature(petitEchantillon.polygon(ellipse([6500, -250], 1000, 800)), {
      PROTECTED_AREA_NAME_ENG: 'SAMPLE FOREST CONSERVATION RESERVE',
      COMMON_SHORT_NAME: 'Sample Forest',
      STATUS_ENG: 'Regulated',
    }),
  ],
  airport_official: [
    feature(sampleton.polygon(rectangle(2000, 1250, 3200, 1800)), {
      AIRPORT_IDENT: 'CSM9',
      NAME: 'SAMPLETON MUNICIPAL',
      AIRPORT_TYPE: 'Airport',
      KIND: 'airport',
    }),
    feature(fiddlehead.polygon(rectangle(-6800, 2600, -6000, 2800)), {
      AIRPORT_IDENT: 'CSF2',
      NAME: 'FIDDLEHEAD (FIELD)',
      KIND: 'other_aerodrome',
    }),
  ],
  aggregate_site_active: [
    feature(
      fiddlehead.polygon([
        [-1600, -1900],
        [-1600, -1150],
        [-2050, -1200],
        [-2150, -1650],
        [-1950, -1950],
      ]),
      {
        ALPS_ID: '990001',
        CURRENT_STATUS: 'ACTIVE',
        OPERATION_TYPE: 'Both (Pit and Quarry)',
        AUTH_TYPE_DESCR: 'Class A Licence',
        LOCATION_NAME: 'Sample Quarry',
      },
    ),
    feature(fiddlehead.polygon(ellipse([-170, -1520], 130, 110)), {
      ALPS_ID: '990003',
      CURRENT_STATUS: 'ACTIVE',
      OPERATION_TYPE: 'Pit',
      AUTH_TYPE_DESCR: 'Class B Licence',
      LOCATION_NAME: 'Sample Pit',
    }),
    feature(petitEchantillon.polygon(ellipse([8200, 500], 200, 160)), {
      ALPS_ID: '990002',
      CURRENT_STATUS: 'ACTIVE',
      OPERATION_TYPE: 'Pit',
      AUTH_TYPE_DESCR: 'Aggregate Permit',
      LOCATION_NAME: 'Highway Pit',
    }),
  ],
  waste_management_site: [
    feature(sampleton.polygon(rectangle(-1700, 720, -1300, 1080)), {
      SITE_NAME: 'SAMPLETON LANDFILL',
      PRIMARY_CLASSIFICATION: 'Landfill',
      STATUS: 'Closed',
      KIND: 'site',
    }),
    feature(sampleton.polygon(rectangle(-1790, 700, -1290, 1140)), {
      WASTE_MANAGEMENT_SITE_ID: 'S1',
      COMMENTS: 'No building',
      KIND: 'attenuation_zone',
    }),
  ],
  petroleum_well: (
    [
      [fiddlehead, [2500, -800]],
      [fiddlehead, [2900, -1150]],
      [mapleSample, [-2300, 1900]],
    ] as const
  ).map(([board, at], i) =>
    feature(board.point(at as Metres), {
      WELL_ID: `T99000${i + 1}`,
      LIC_NUMBER: `S${i + 1}`,
      WELL_NAME: `Sample No. ${i + 1}`,
    }),
  ),
  orwn_track: [
    feature(
      sampleton.line([
        [620, -2400],
        [620, 2600],
      ]),
      { STATUS: 'Operational', TRACKCLASS: null },
    ),
    feature(
      petitEchantillon.line([
        [-3200, -420],
        [-800, -330],
        [2500, -520],
        [9000, -900],
      ]),
      { STATUS: 'Operational', TRACKCLASS: 'Railway Through Tunnel' },
    ),
  ],
  utility_line: [
    feature(
      sampleton.line([
        [-2600, 1000],
        [3600, 1000],
      ]),
      { CLASS_SUBTYPE: 'Hydro Line', CLASS_SUBTYPE_NUM: 1114 },
    ),
    feature(
      fiddlehead.line([
        [-3700, 1250],
        [3700, 1250],
      ]),
      // Without the words, the number tells.
      { CLASS_SUBTYPE: null, CLASS_SUBTYPE_NUM: 1340 },
    ),
    // A pipeline: in the layer, but no transmission line.
    feature(
      mapleSample.line([
        [-3000, 80],
        [3000, 80],
      ]),
      { CLASS_SUBTYPE: 'Natural Gas Pipeline', CLASS_SUBTYPE_NUM: 1115 },
    ),
    // Nobody knows what it is: near it, "outside" is not known.
    feature(
      petitEchantillon.line([
        [-3000, -1500],
        [-1500, -1500],
      ]),
      { CLASS_SUBTYPE: 'Unknown Line', CLASS_SUBTYPE_NUM: null },
    ),
  ],
};

function soil(code: string | null, name: string): Feature['properties'] {
  return { CLI1: code, SOIL_NAME1: name, PERCENT1: 100, DRAINAGE1: 'W', SLOPE1: '3', CLASS1: 'c' };
}
