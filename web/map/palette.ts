/** A colour for each data set: water is blue, woods are green, hazards and industry are warm. */

const colours: Record<string, string> = {
  greenbelt: '#5b8f3a',
  greenbelt_specialty_crop: '#7079b8',
  orm_land_use: '#a48a39',
  nep_boundary: '#73543d',
  nep_designation: '#ba6735',
  lake_simcoe_watershed: '#558e9d',
  clupa_provincial: '#6d7b4b',
  ohn_watercourse: '#2b6c9e',
  ohn_waterbody: '#318bc9',
  ohn_shoreline: '#163162',
  wetland: '#3b8f8c',
  flood_hazard: '#5a6fd0',
  source_protection_area: '#578db3',
  owb_tertiary: '#958cb1',
  well_records: '#16476e',
  soil_survey_complex: '#b08a57',
  tile_drainage_area: '#827144',
  constructed_drain: '#667396',
  natural_heritage_system: '#4d9a6a',
  ecoregion: '#909572',
  ansi: '#9a4f86',
  wooded_area: '#217036',
  provincial_park_regulated: '#22572f',
  conservation_reserve_regulated: '#629e83',
  ca_admin_areas: '#98766a',
  municipal_lower_single: '#766d7c',
  municipal_upper_district: '#3f4d5b',
  geographic_township: '#9a6e80',
  lot_fabric: '#828c8a',
  built_up_area: '#c07657',
  first_nation_reserve: '#8b5e34',
  airport_official: '#725ba6',
  aggregate_site_active: '#c07a2c',
  waste_management_site: '#a4442c',
  petroleum_well: '#2f2c45',
  orwn_track: '#44403c',
  utility_line: '#b3261e',
};

const OTHER = '#5d6670';

export const colourOf = (dataSet: string) => colours[dataSet] ?? OTHER;

/** How features look that help to find one's way: water, railways, boundaries. */
const quiet: Record<string, { fill?: string; line: string; dashes?: number[] }> = {
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

export const quietOf = (dataSet: string) => quiet[dataSet] ?? null;
