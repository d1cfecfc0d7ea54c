/**
 * The province's services as people who use them describe them, and not as `layers/` does: what the import expects is tested
 * against this. Names, ids and fields are those that others quote from the live services or keep in lists; `?` marks what is
 * inferred, `catalogue` what only the published catalogue of layers says. Values are examples.
 */

export interface ProvinceLayer {
  /** Below `LIO_OPEN_DATA/`, `LIO_OpenNN/MapServer`; with a slash at the front below the root. */
  readonly service: string;
  readonly id: number;
  readonly name: string;
  /** The title in the published catalogue, where it is another one: services once used it. */
  readonly title?: string;
  readonly geometry: 'polygon' | 'line' | 'point';
  /** Field -> an example of what it holds. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** What the features of a layer have in which its records are told apart: the values of a further feature. */
  readonly more?: readonly Readonly<Record<string, string | number | null>>[];
  /** The data set of which the layer is one of several parts, where it is not the first. */
  readonly partOf?: string;
  /** Features at the province's server, where someone has counted them. */
  readonly count?: number;
  readonly lacks?: readonly ('statistics' | 'geojson')[];
  /** Asked for WGS 84, the server moves the coordinates by 1.2 m. */
  readonly isMoved?: boolean;
  /** More features than these at once never come. */
  readonly mostPerPage?: number;
}

/** Features that one query gives at most. */
export const RECORD_LIMIT = 2000;

/** EPSG:4269, NAD83 in degrees: the CRS of all layers. */
export const WKID = 4269;

/** Columns that all layers have. */
export const commonFields = {
  OGF_ID: 'esriFieldTypeDouble',
  EFFECTIVE_DATETIME: 'esriFieldTypeDate',
  SYSTEM_DATETIME: 'esriFieldTypeDate',
  GEOMETRY_UPDATE_DATETIME: 'esriFieldTypeDate',
} as const;

const within = 'Within 10 metres';

export const province: Readonly<Record<string, ProvinceLayer>> = {
  constructed_drain: {
    ...at('LIO_Open01/MapServer', 7, 'Constructed Drain', 'line'),
    fields: { NAME: 'Mill Creek Drain', DFO_CLASS: 'C', DFO_IDENT: 'D12', REACH: 1 },
  },
  tile_drainage_area: {
    ...at('LIO_Open01/MapServer', 11, 'Tile Drainage Area', 'polygon'),
    fields: { LOCATION_ACCURACY: within },
  },
  ohn_shoreline: {
    ...at('LIO_Open01/MapServer', 14, 'OHN Shoreline', 'line'),
    title: 'Ontario Hydro Network (OHN) - Shoreline',
    fields: { LOCATION_ACCURACY: within },
    isMoved: true,
  },
  wetland: {
    ...at('LIO_Open01/MapServer', 15, 'Wetland With Significance', 'polygon'),
    title: 'Wetland',
    fields: {
      WETLAND_TYPE: 'Swamp',
      EVALUATED_WETLAND_NAME: 'Holland Marsh Wetland Complex',
      WETLAND_SIGNIFICANCE: 'Evaluated-Provincial',
      EVALUATED_WETLAND_IND: 'Yes',
      COASTAL_IND: 'No',
      LOCATION_ACCURACY: within,
    },
    count: 3_630_000,
    isMoved: true,
  },
  ohn_waterbody: {
    ...at('LIO_Open01/MapServer', 25, 'OHN Waterbody', 'polygon'),
    title: 'Ontario Hydro Network (OHN) - Waterbody',
    fields: {
      WATERBODY_TYPE: 'Lake',
      OFFICIAL_NAME_LABEL: 'Lake Simcoe',
      PERMANENCY: 'Permanent',
      SYSTEM_CALCULATED_AREA: 744_000_000.5,
      GEL_NAME_IDENT: 'FEUXX',
    },
    isMoved: true,
    lacks: ['statistics'],
  },
  ohn_watercourse: {
    ...at('LIO_Open01/MapServer', 26, 'OHN Watercourse', 'line'),
    title: 'Ontario Hydro Network (OHN) - Watercourse',
    fields: { WATERCOURSE_TYPE: 'Stream', OFFICIAL_NAME_LABEL: 'Humber River', PERMANENCY: 'Permanent' },
    more: [{ WATERCOURSE_TYPE: 'Virtual Flow' }],
    isMoved: true,
    lacks: ['geojson'],
  },
  built_up_area: {
    ...at('LIO_Open01/MapServer', 35, 'Built Up Area', 'polygon'),
    fields: { LOCATION_ACCURACY: within },
    count: 25_554,
  },
  province: {
    ...at('LIO_Open03/MapServer', 0, 'Province', 'polygon'),
    fields: { OFFICIAL_NAME: 'ONTARIO' },
    count: 1,
  },
  conservation_reserve_regulated: {
    ...at('LIO_Open03/MapServer', 2, 'Conservation Reserve Regulated', 'polygon'),
    fields: {
      ...{ PROTECTED_AREA_NAME_ENG: 'CLEAR LAKE CONSERVATION RESERVE', COMMON_SHORT_NAME: 'Clear Lake' },
      ...{ TYPE_ENG: 'Conservation Reserve', STATUS_ENG: 'Regulated Conservation Reserve' },
    },
    count: 306,
  },
  provincial_park_regulated: {
    ...at('LIO_Open03/MapServer', 4, 'Provincial Park Regulated', 'polygon'),
    fields: {
      PROTECTED_AREA_NAME_ENG: 'SIBBALD POINT PROVINCIAL PARK (RECREATIONAL CLASS)',
      TYPE_ENG: 'Provincial Park',
      PROVINCIAL_PARK_CLASS_ENG: 'Recreational',
      PROTECTED_SITE_IDENT: 'P2345',
      STATUS_ENG: 'Regulated',
      REGULATED_AREA: 225.5,
      COMMON_SHORT_NAME: 'Sibbald Point',
    },
    count: 347,
  },
  ca_admin_areas: {
    ...at('LIO_Open03/MapServer', 11, 'Conservation Authority Admin Area', 'polygon'),
    title: 'Conservation Authority Administrative Area',
    fields: {
      CA_ID: 27,
      LEGAL_NAME: 'Lake Simcoe Region Conservation Authority',
      COMMON_NAME: 'Lake Simcoe Region Conservation Authority',
    },
    count: 36,
  },
  first_nation_reserve: {
    ...at('LIO_Open03/MapServer', 12, 'Indian Reserve', 'polygon'),
    fields: { OFFICIAL_NAME: 'CHIPPEWAS OF GEORGINA ISLAND' },
  },
  municipal_upper_district: {
    ...at('LIO_Open03/MapServer', 13, 'Municipal Bnd Upper And Dist', 'polygon'),
    title: 'Municipal Boundary - Upper Tier and District',
    fields: { MUNID: '19000', MUNICIPAL_NAME: 'REGIONAL MUNICIPALITY OF YORK', MUNICIPAL_TYPE: 'Upper Tier' },
    count: 98,
  },
  municipal_lower_single: {
    ...at('LIO_Open03/MapServer', 14, 'Municipal Bnd Lower And Single', 'polygon'),
    title: 'Municipal Boundary - Lower and Single Tier',
    fields: {
      MUNID: '19049',
      MUNICIPAL_NAME: 'TOWNSHIP OF KING',
      MUNICIPAL_NAME_SHORTFORM: 'KING',
      MUNICIPAL_TYPE: 'Lower Tier',
      UPPER_TIER_MUNICIPALITY: 'REGIONAL MUNICIPALITY OF YORK',
      ASSESSMENT_CODE: '1949',
      MAH_CODE: '73306',
    },
    count: 685,
  },
  ecoregion: {
    ...at('LIO_Open03/MapServer', 16, 'Ecoregion', 'polygon'),
    // ECOREGION_CODE is inferred (?).
    fields: { ECOREGION_NAME: 'Lake Simcoe-Rideau', ECOREGION_CODE: '6E' },
    count: 14,
  },
  owb_tertiary: {
    // The name is inferred (?) from its siblings, 04/1 "OWB Quaternary Watersheds" and 04/3 "OWB Secondary Watersheds".
    ...at('LIO_Open04/MapServer', 2, 'OWB Tertiary Watersheds', 'polygon'),
    title: 'Ontario Watershed Boundary - Tertiary',
    fields: { WATERSHED_CODE: '02EC', WATERSHED_NAME: 'Black River - Lake Simcoe' },
  },
  orwn_track: {
    ...at('LIO_Open04/MapServer', 18, 'ORWN Track', 'line'),
    title: 'Ontario Railway Network (ORWN) Track',
    // Read in an extract of one area.
    fields: { LOCATION_ACCURACY: within, STATUS: 'Operational', TRACKCLASS: 'Siding', USETYPE: 'Freight' },
    count: 19_055,
  },
  airport_official: {
    ...at('LIO_Open05/MapServer', 0, 'Airport Official', 'polygon'),
    fields: { AIRPORT_IDENT: 'CYLS', NAME: 'Lake Simcoe Regional', AIRPORT_TYPE: 'Airport' },
    count: 403,
  },
  airport_other: {
    ...at('LIO_Open05/MapServer', 1, 'Airport Other', 'polygon'),
    fields: { AIRPORT_IDENT: 'CNY3', NAME: 'Collingwood' },
    count: 447,
    partOf: 'airport_official',
  },
  source_protection_area: {
    ...at('LIO_Open05/MapServer', 2, 'Source Protection Area Generalized', 'polygon'),
    fields: { SPP_ID: 45, SPR_ID: 27, LEAD_SPA: 'Yes' },
    count: 118,
  },
  ansi: {
    ...at('LIO_Open05/MapServer', 3, 'ANSI', 'polygon'),
    fields: {
      ANSI_NAME: 'Zephyr Creek Swamp',
      CLASS_SUBTYPE: 'ANSI, Life Science',
      ANSI_SIGNIFICANCE: 'Regional',
      SYSTEM_CALCULATED_AREA: 1_234_567.5,
    },
  },
  soil_survey_complex: {
    ...at('LIO_Open05/MapServer', 9, 'Soil Survey Complex', 'polygon'),
    fields: {
      ...{
        CLI1: '2',
        CLI1_1: 'T',
        CLI1_2: 'E',
        PERCENT1: 70,
        SOIL_NAME1: 'BONDHEAD',
        DRAINAGE1: 'W',
        SLOPE1: 3,
        CLASS1: 'C',
      },
      ...{
        CLI2: '4',
        CLI2_1: 'W',
        CLI2_2: '',
        PERCENT2: 30,
        SOIL_NAME2: 'OTONABEE',
        DRAINAGE2: 'P',
        SLOPE2: 1,
        CLASS2: 'B',
      },
      ...{ CLI3: '', CLI3_1: '', CLI3_2: '', PERCENT3: 0, SOIL_NAME3: '', DRAINAGE3: '', SLOPE3: 0, CLASS3: '' },
      ...{ HYDRO1: 'B', ATEXTURE1: 'L', K_FACTOR1: 0.3, MAPUNIT: 'BhC', SOIL_CMPLX: 'BH70' },
    },
    count: 117_500,
  },
  utility_line: {
    ...at('LIO_Open05/MapServer', 11, 'Utility Line', 'line'),
    fields: { CLASS_SUBTYPE: 'Hydro Line', CLASS_SUBTYPE_NUM: 1114 },
    more: [{ CLASS_SUBTYPE: 'Unknown Transmission Line', CLASS_SUBTYPE_NUM: 1340 }],
  },
  aggregate_site_active: {
    ...at('LIO_Open05/MapServer', 17, 'Aggregate Site Authorized Active', 'polygon'),
    title: 'Aggregate Site Authorized - Active',
    fields: {
      ...{ ALPS_ID: '4711', CURRENT_STATUS: 'ACTIVE', OPERATION_TYPE: 'Pit', AUTH_TYPE_DESCR: 'CLASS A LICENCE' },
      ...{ MAX_TONNAGE: 100_000, UNLIMITED_TONNAGE_IND: 'No', LICENCED_AREA: 41.2, WATER_STATUS: 'Above Water' },
      LOCATION_NAME: 'Uxbridge',
    },
    count: 5591,
  },
  geographic_township: {
    ...at('LIO_Open06/MapServer', 1, 'Geographic Township Improved', 'polygon'),
    fields: { OFFICIAL_NAME: 'KING', TOWNSHIP_SURVEY_SYSTEM: 'Double Front', ANNULMENT_STATUS_FLG: 'No' },
    count: 2528,
  },
  lot_fabric: {
    ...at('LIO_Open06/MapServer', 2, 'Lot Fabric Improved', 'polygon'),
    fields: {
      LOT_IDENT: 'LOT 12',
      CONCESSION_IDENT: 'CON 4',
      GEOGRAPHIC_TOWNSHIP_NAME: 'KING',
      CLASS_SUBTYPE: 'Lot',
      ROAD_ALLOWANCE_STATUS_FLG: 'No',
    },
  },
  clupa_provincial: {
    ...at('LIO_Open06/MapServer', 5, 'CLUPA Provincial', 'polygon'),
    fields: {
      POLICY_IDENT: 'G1745',
      NAME_ENG: 'Wilberforce',
      DESIGNATION_ENG: 'General Use Area',
      CATEGORY_ENG: 'Crown Land',
    },
    count: 1261,
  },
  greenbelt: {
    ...at('LIO_Open06/MapServer', 15, 'Greenbelt Designation', 'polygon'),
    fields: { DESIGNATION: 'Protected Countryside' },
    count: 90,
  },
  greenbelt_specialty_crop: {
    ...at('LIO_Open06/MapServer', 19, 'Greenbelt Specialty Crop', 'polygon'),
    // The name of the field is not known (?).
    fields: { NAME: 'Holland Marsh' },
    count: 2,
  },
  lake_simcoe_watershed: {
    ...at('LIO_Open06/MapServer', 21, 'Lake Simcoe PAW Boundary', 'polygon'),
    fields: {},
    count: 1,
  },
  natural_heritage_system: {
    ...at('LIO_Open06/MapServer', 22, 'Natural Heritage System Area', 'polygon'),
    fields: {},
  },
  nep_boundary: {
    ...at('LIO_Open06/MapServer', 25, 'Niagara Escarpment Plan Boundary', 'polygon'),
    fields: { LOCATION_ACCURACY: within },
    count: 12,
  },
  nep_designation: {
    ...at('LIO_Open06/MapServer', 26, 'Niagara Escarpment Plan Designation', 'polygon'),
    fields: { DESIGNATION: 'Escarpment Natural Area' },
    count: 1211,
  },
  orm_land_use: {
    ...at('LIO_Open06/MapServer', 28, 'ORM Land Use Designation', 'polygon'),
    title: 'Oak Ridges Moraine (ORM) Land Use Designation',
    fields: { LAND_USE_DESIGNATION: 'Natural Linkage Area', LAND_USE_DESIG_DEFINITION: 'Linkage.' },
    count: 583,
  },
  wooded_area: {
    ...at('LIO_Open07/MapServer', 29, 'Wooded Area', 'polygon'),
    fields: { WOODED_AREA_TYPE: 'Wooded Area', CLASS_SUBTYPE: 'Wooded Area' },
    lacks: ['statistics'],
  },
  waste_management_site: {
    ...at('LIO_Open08/MapServer', 9, 'Waste Management Site', 'polygon'),
    fields: { SITE_NAME: 'KING TOWNSHIP LANDFILL', PRIMARY_CLASSIFICATION: 'Landfill', STATUS: 'Closed' },
    count: 813,
  },
  waste_attenuation_zone: {
    ...at('LIO_Open08/MapServer', 10, 'Waste Management Attenuation Zone', 'polygon'),
    fields: { WASTE_MANAGEMENT_SITE_ID: 4711, COMMENTS: 'Registered on title' },
    count: 429,
    partOf: 'waste_management_site',
  },
  petroleum_well: {
    // Only the number 22 is known; the service is not (?).
    ...at('LIO_Open09/MapServer', 22, 'Petroleum Well', 'point'),
    fields: {
      ...{ WELL_ID: 'T000123', WELL_NAME: 'Imperial 569', WELL_TYPE: 'Gas Show', WELL_MODE: 'Abandoned Well' },
      ...{ OPERATOR: 'A company', SPUD_DATE: '1951-06-01' },
    },
    more: [
      { WELL_MODE: 'No Well Found' },
      { WELL_MODE: 'Potential' },
      { WELL_TYPE: 'Location' },
      { WELL_TYPE: null, WELL_MODE: null },
    ],
  },
  well_records: {
    ...at('/MOE/Wells/MapServer', 0, 'Wells', 'point'),
    fields: {
      ...{ WELL_ID: '0912345', BORE_HOLE_ID: 10_023_456, DEPTH_M: 41.5, FINAL_STATUS_DESCR: 'Water Supply' },
      ...{ USE1: 'Domestic', USE2: ' ', COMPLETED_YEAR: 1987, WELL_COMPLETED_DATE: '1987/05/04' },
    },
    count: 988_388,
    lacks: ['statistics', 'geojson'],
  },
  // Of a conservation authority: only the first of its shares here.
  flood_hazard: {
    ...at('/Floodline_TRCA_Polygon/FeatureServer', 1, 'Floodline TRCA Polygon', 'polygon'),
    fields: { FloodPlainSource: 'Engineered' },
    count: 1306,
    mostPerPage: 100,
  },
  // Of further answers: only the first of their shares here, too.
  regulated_area: {
    ...at('/TRCA_Regulation_Limit2/FeatureServer', 0, 'RegulationLimit_2025', 'polygon'),
    fields: { criteria_layers_contribution: 'Flood Plain' },
    count: 6300,
  },
  wellhead_protection: {
    ...at('/OpenData/Clean_Water_Act/MapServer', 1, 'Clean Water Act Wellhead Protection Areas', 'polygon'),
    fields: { WELLHEAD_PROTECTION_AREA: 'WHPA-D', NAME: 'Nobleton', ZONE: 25 },
  },
  heritage_district: {
    ...at('/Heritage_Conservation_District_Feature_Layer/FeatureServer', 0, 'HeritageConservationDistrict', 'polygon'),
    fields: { Name: 'Waverley Park' },
  },
};

function at<G extends ProvinceLayer['geometry']>(service: string, id: number, name: string, geometry: G) {
  return { service, id, name, geometry };
}
