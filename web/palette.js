/** A colour for each data set: water is blue, woods are green, hazards and industry are warm. */

/** @type {Record<string, string>} */
const colours = {
  greenbelt: '#5b8f3a',
  greenbelt_specialty_crop: '#8a6fb0',
  orm_land_use: '#a98a3d',
  nep_boundary: '#7a5c3e',
  nep_designation: '#9b6b43',
  lake_simcoe_watershed: '#4a86a8',
  clupa_provincial: '#6f7f4f',
  ohn_watercourse: '#2b6c9e',
  ohn_waterbody: '#3d8cc4',
  ohn_shoreline: '#1d5480',
  wetland: '#3b8f8c',
  flood_hazard: '#5a6fd0',
  source_protection_area: '#6a8fb5',
  owb_tertiary: '#7d97b0',
  well_records: '#1f4e79',
  soil_survey_complex: '#b08a57',
  tile_drainage_area: '#8e7a4a',
  constructed_drain: '#5f7f92',
  natural_heritage_system: '#4d9a6a',
  ecoregion: '#86a07c',
  ansi: '#9a4f86',
  wooded_area: '#2f7d4f',
  provincial_park_regulated: '#27694a',
  conservation_reserve_regulated: '#5aa07a',
  ca_admin_areas: '#7b8794',
  municipal_lower_single: '#6b7280',
  municipal_upper_district: '#4b5563',
  geographic_township: '#8d8577',
  lot_fabric: '#a0968a',
  built_up_area: '#b5746a',
  first_nation_reserve: '#8b5e34',
  airport_official: '#6c5b9e',
  aggregate_site_active: '#c07a2c',
  waste_management_site: '#a4442c',
  petroleum_well: '#3f3f46',
  orwn_track: '#44403c',
  utility_line: '#b3261e',
};

const OTHER = '#5d6670';

/** @param {string} dataSet */
export const colourOf = (dataSet) => colours[dataSet] ?? OTHER;

/** Areas that cover whole regions hide everything else: they are drawn when somebody asks for them. */
const wide = new Set([
  'ca_admin_areas',
  'municipal_lower_single',
  'municipal_upper_district',
  'geographic_township',
  'lot_fabric',
  'source_protection_area',
  'owb_tertiary',
  'ecoregion',
  'lake_simcoe_watershed',
  'soil_survey_complex',
  'clupa_provincial',
  'greenbelt',
  'nep_boundary',
]);

/** @param {string} dataSet */
export const isShownFirst = (dataSet) => !wide.has(dataSet);

/**
 * How features look that help to find one's way: water, railways, boundaries.
 * @type {Record<string, { fill?: string, line: string, dashes?: number[] }>}
 */
const quiet = {
  lot_fabric: { line: '#ece7da' },
  geographic_township: { line: '#dcd5c4', dashes: [4, 2] },
  municipal_lower_single: { line: '#cdc5b3', dashes: [6, 2, 1, 2] },
  municipal_upper_district: { line: '#bfb6a2', dashes: [6, 2, 1, 2] },
  built_up_area: { fill: '#f7f1e6', line: '#efe7d8' },
  ohn_waterbody: { fill: '#dde9f0', line: '#c6d9e4' },
  ohn_watercourse: { line: '#c6d9e4' },
  ohn_shoreline: { line: '#c6d9e4' },
  orwn_track: { line: '#c9c4ba', dashes: [5, 2] },
};

/** @param {string} dataSet */
export const quietOf = (dataSet) => quiet[dataSet] ?? null;
