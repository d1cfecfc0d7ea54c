/** The sample's plans, boundaries and administrative areas. Every shape and name is made up. */
import { ellipse, feature, outline, rectangle, ribbon, type Feature, type Metres } from './frame.ts';
import { fiddlehead, mapleSample, petitEchantillon, sampleton } from './places.ts';
import { creek, lakeSampleShore } from './water.ts';

const hamlet = ellipse([0, 500], 350, 250);
const escarpment: Metres[] = rectangle(-3600, -3400, -2200, 3300);
const moraine: Metres[] = rectangle(-2200, -3400, 3600, -800);
const countryside: Metres[] = rectangle(-2200, -800, 3600, 3300);

const lots = [3, 4, 5].flatMap((concession): Feature[] =>
  Array.from({ length: 9 }, (_, i) => {
    const south = (concession - 4) * 1400 - 690;
    const west = -2690 + i * 600;
    return feature(fiddlehead.polygon(rectangle(west, south, west + 600, south + 1380)), {
      LOT_IDENT: `LOT ${i + 1}`,
      CONCESSION_IDENT: `CON ${concession}`,
      GEOGRAPHIC_TOWNSHIP_NAME: 'FIDDLEHEAD',
      CLASS_SUBTYPE: 'Lot',
      ROAD_ALLOWANCE_STATUS_FLG: i === 0 ? null : 'N',
    });
  }),
);

export const plans: Readonly<Record<string, readonly Feature[]>> = {
  province: [
    feature(
      outline(
        [-95.15, 49.4],
        [-95.15, 52.85],
        [-88.95, 56.85],
        [-85.9, 55.65],
        [-82.25, 55.1],
        [-82.3, 52.95],
        [-80.4, 51.35],
        [-79.52, 51.5],
        [-79.55, 47.4],
        [-78.95, 46.35],
        [-77.4, 46.1],
        [-76.3, 45.55],
        [-74.4, 45.6],
        [-74.5, 45.05],
        [-75.8, 44.45],
        [-76.45, 44.05],
        [-76.8, 43.62],
        [-79.15, 43.45],
        [-79.05, 42.85],
        [-82.5, 41.7],
        [-83.15, 42.1],
        [-82.45, 42.95],
        [-82.15, 45.35],
        [-83.55, 45.9],
        [-84.6, 46.45],
        [-88.4, 48.2],
        [-90.0, 48.05],
        [-92.4, 48.25],
        [-93.8, 48.5],
        [-94.65, 48.75],
      ),
      { OFFICIAL_NAME: 'Sample outline of Ontario' },
    ),
  ],
  greenbelt: [
    feature(fiddlehead.polygon(countryside, hamlet), { DESIGNATION: 'Protected Countryside' }),
    feature(fiddlehead.polygon(escarpment), { DESIGNATION: 'Niagara Escarpment Plan' }),
    feature(fiddlehead.polygon(moraine), { DESIGNATION: 'Oak Ridges Moraine Conservation Plan' }),
    feature(sampleton.polygon(ribbon(creek, 120)), { DESIGNATION: 'Urban River Valley' }),
    // A designation that the definitions do not know: in the Greenbelt, but the part of it is not known.
    feature(mapleSample.polygon(rectangle(200, 380, 420, 560)), { DESIGNATION: 'Sample Designation Not Listed' }),
  ],
  greenbelt_specialty_crop: [
    feature(fiddlehead.polygon(rectangle(1650, 1350, 3500, 3200)), { NAME: 'Sample Marsh' }),
    feature(fiddlehead.polygon(rectangle(-2100, 1500, -700, 3100)), { NAME: 'Sample Orchards' }),
  ],
  orm_land_use: [
    feature(fiddlehead.polygon(rectangle(-2200, -1700, -400, -800)), orm('Natural Core Area')),
    feature(fiddlehead.polygon(rectangle(-400, -1700, 1300, -800)), orm('Natural Linkage Area')),
    feature(fiddlehead.polygon(rectangle(1300, -1700, 3600, -800)), orm('Countryside Area')),
    feature(fiddlehead.polygon(rectangle(-2200, -3400, 3600, -1700)), orm('Settlement Area')),
  ],
  nep_boundary: [feature(fiddlehead.polygon(escarpment), { LOCATION_ACCURACY: 'Within 10 metres' })],
  nep_designation: [
    feature(fiddlehead.polygon(rectangle(-3600, -3400, -2800, 3300)), { DESIGNATION: 'Escarpment Natural Area' }),
    feature(fiddlehead.polygon(rectangle(-2800, -3400, -2200, 3300)), { DESIGNATION: 'Escarpment Protection Area' }),
  ],
  lake_simcoe_watershed: [feature(fiddlehead.polygon(rectangle(-1200, -900, 3700, 3500)))],
  natural_heritage_system: [
    feature(fiddlehead.polygon(ellipse([1800, 1900], 1200, 900))),
    feature(sampleton.polygon(ribbon(creek, 180))),
    feature(petitEchantillon.polygon(ellipse([-2000, -1400], 1100, 800))),
  ],
  clupa_provincial: [
    feature(petitEchantillon.polygon(rectangle(2600, -2600, 9000, 2600)), {
      POLICY_IDENT: 'S198',
      NAME_ENG: 'Sample Forest',
      DESIGNATION_ENG: 'General Use Area',
      CATEGORY_ENG: 'Sample category',
    }),
  ],
  ca_admin_areas: [
    feature(outline([-79.0, 43.75], [-77.9, 43.75], [-77.9, 44.3], [-79.0, 44.3]), {
      CA_ID: 90,
      LEGAL_NAME: 'Sample Valley Conservation Authority',
      COMMON_NAME: 'Sample Valley',
    }),
    feature(outline([-79.5, 44.2], [-79.0, 44.2], [-79.0, 44.45], [-79.5, 44.45]), {
      CA_ID: null,
      LEGAL_NAME: 'Fiddlehead Region Conservation Authority',
      COMMON_NAME: 'Fiddlehead Region',
    }),
  ],
  municipal_lower_single: [
    feature(sampleton.polygon(rectangle(-2600, -2400, 3600, 2600)), {
      MUNID: '9001',
      MUNICIPAL_NAME: 'CITY OF SAMPLETON',
      MUNICIPAL_NAME_SHORTFORM: 'SAMPLETON',
      MUNICIPAL_TYPE: 'Single Tier',
      UPPER_TIER_MUNICIPALITY: null,
    }),
    feature(mapleSample.polygon(rectangle(-3000, -2500, 3000, 2600)), lower('9002', 'TOWN OF MAPLE SAMPLE')),
    feature(fiddlehead.polygon(rectangle(-3800, -3600, 3800, 3600)), lower('9003', 'TOWNSHIP OF FIDDLEHEAD')),
    feature(petitEchantillon.polygon(rectangle(-3200, -2600, 2600, 2600)), {
      MUNID: '9004',
      MUNICIPAL_NAME: 'MUNICIPALITY OF LITTLE SAMPLE',
      MUNICIPAL_NAME_SHORTFORM: 'LITTLE SAMPLE',
      MUNICIPAL_TYPE: 'Single Tier',
      UPPER_TIER_MUNICIPALITY: null,
    }),
  ],
  municipal_upper_district: [
    feature(outline([-78.3, 43.75], [-78.1, 43.75], [-78.1, 44.05], [-78.3, 44.05]), upper('9102', 'COUNTY OF SAMPLE')),
    feature(outline([-79.4, 44.22], [-79.2, 44.22], [-79.2, 44.38], [-79.4, 44.38]), upper('9102', 'COUNTY OF SAMPLE')),
    feature(outline([-81.4, 48.3], [-80.6, 48.3], [-80.6, 48.7], [-81.4, 48.7]), {
      MUNID: '9190',
      MUNICIPAL_NAME: 'DISTRICT OF NORTHSAMPLE',
      MUNICIPAL_TYPE: 'District',
    }),
  ],
  geographic_township: [
    feature(fiddlehead.polygon(rectangle(-3700, -3500, 3700, 3500)), township('FIDDLEHEAD', 'Single Front')),
    feature(mapleSample.polygon(rectangle(-3000, -700, 3000, 2600)), township('MAPLE', 'Double Front')),
    feature(
      petitEchantillon.polygon(rectangle(-3200, -2600, 9000, 2600)),
      township('ÉCHANTILLON', '1800 Acre Section'),
    ),
  ],
  lot_fabric: lots,
  built_up_area: [
    feature(sampleton.polygon(ellipse([0, 0], 1050, 820))),
    feature(mapleSample.polygon([...rectangle(-800, 600, 900, 600).slice(0, 2), [950, -720], [-850, -720]])),
    feature(petitEchantillon.polygon(ellipse([0, 150], 620, 480))),
  ],
  source_protection_area: [
    feature(outline([-79.0, 43.75], [-77.9, 43.75], [-77.9, 44.3], [-79.0, 44.3]), {
      SPP_ID: 901,
      SPR_ID: 90,
      NAME: 'Sample Valley',
    }),
    feature(outline([-79.5, 44.2], [-79.0, 44.2], [-79.0, 44.45], [-79.5, 44.45]), {
      SPP_ID: 902,
      SPR_ID: 90,
      NAME: null,
    }),
  ],
  first_nation_reserve: [
    feature(petitEchantillon.polygon(rectangle(1500, 900, 2600, 2200)), {
      OFFICIAL_NAME: 'Sample Lake 5 (made up)',
    }),
  ],
  flood_hazard: [
    feature(sampleton.polygon(ribbon(creek, 60), ellipse([-300, -462], 60, 12)), {
      ...{ SOURCE: 'Hand-drawn flood line', KIND: 'floodplain', BASIS: 'Estimated' },
      ...{ STORM: null, TYPE: null, AS_OF: '2025-09-27' },
    }),
    feature(
      mapleSample.polygon([...lakeSampleShore.slice(1, -1), [1800, -640], [500, -690], [-500, -690], [-2000, -660]]),
      {
        ...{ SOURCE: 'Hand-drawn shoreline hazard', KIND: 'shoreline_flood', BASIS: 'Storm' },
        ...{ STORM: '100 Year', TYPE: null, AS_OF: '2025-09-27' },
      },
    ),
  ],
  regulated_area: [
    feature(sampleton.polygon(ribbon(creek, 120)), {
      ...{ SOURCE: 'Hand-drawn authority', CRITERIA: 'Flood plain, Valley', AS_OF: '2025-09-27' },
    }),
    feature(
      mapleSample.polygon([...lakeSampleShore.slice(1, -1), [1800, -700], [500, -760], [-500, -760], [-2000, -720]]),
      {
        ...{ SOURCE: 'Hand-drawn authority', CRITERIA: null, AS_OF: '2025-09-27' },
      },
    ),
  ],
  wellhead_protection: [
    feature(fiddlehead.polygon(ellipse([2000, 2000], 900, 700)), {
      ...{ SOURCE: 'Hand-drawn region', WELLHEAD_PROTECTION_AREA: 'WHPA-D', NAME: 'Sample Well', ZONE: 25 },
    }),
  ],
  heritage_district: [
    feature(sampleton.polygon(ellipse([0, 0], 300, 200)), {
      ...{ SOURCE: 'Hand-drawn town', DESIGNATION_TYPE: 'Designated District', NAME: 'Old Sampleton' },
      ...{ BYLAW: '12-1985', DESIGNATED_ON: '1985-06-03' },
    }),
    feature(mapleSample.polygon(ellipse([0, 0], 300, 200)), {
      ...{ SOURCE: 'Hand-drawn town', DESIGNATION_TYPE: 'Under Appeal', NAME: 'Maple Sample Village' },
      ...{ BYLAW: null, DESIGNATED_ON: '1899-11-30' },
    }),
  ],
};

function orm(designation: string): Feature['properties'] {
  return { LAND_USE_DESIGNATION: designation, LAND_USE_DESIG_DEFINITION: 'Sample definition' };
}

function lower(MUNID: string, name: string): Feature['properties'] {
  return {
    MUNID,
    MUNICIPAL_NAME: name,
    MUNICIPAL_NAME_SHORTFORM: name.replace(/^.* OF /, ''),
    MUNICIPAL_TYPE: 'Lower Tier',
    UPPER_TIER_MUNICIPALITY: 'COUNTY OF SAMPLE',
  };
}

function upper(MUNID: string, name: string): Feature['properties'] {
  return { MUNID, MUNICIPAL_NAME: name, MUNICIPAL_TYPE: 'Upper Tier' };
}

function township(name: string, system: string): Feature['properties'] {
  return { OFFICIAL_NAME: name, TOWNSHIP_SURVEY_SYSTEM: system, ANNULMENT_STATUS_FLG: 'N' };
}
