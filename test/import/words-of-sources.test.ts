/** What the source's own words and sizes make of an answer: names, classes, bands, areas. Drawn after real extracts. */
import { expect } from 'chai';
import { asWritten } from '../../workers/engine/kinds/member-value.ts';
import { Miniature } from '../support/material/miniature.ts';
import { polygon, square, type TestFeature } from '../support/material/sources.ts';

type Properties = TestFeature['properties'];

const LAT = 44.5;
const SIDE = 0.01;
const at = (column: number): [number, number] => [-79 + column * 0.1, LAT];
const inside = (column: number): [number, number] => [at(column)[0] + SIDE / 2, LAT + SIDE / 2];
const area = (column: number, properties: Properties): TestFeature =>
  polygon([square(...at(column), SIDE)], properties);
/** Metres north of a column's square. */
const beyond = (column: number, metres: number): [number, number] => [inside(column)[0], LAT + SIDE + metres / 111_100];

const parks = [
  area(0, {
    PROTECTED_AREA_NAME_ENG: "O'DONNELL POINT PROVINCIAL PARK (NATURE RESERVE CLASS)",
    TYPE_ENG: 'Provincial Park',
  }),
  area(1, {
    PROTECTED_AREA_NAME_ENG: 'PIMACHIOWIN AKI',
    TYPE_ENG: 'Protected Area - Far North',
    PROVINCIAL_PARK_CLASS_ENG: 'Unclassified',
  }),
  area(2, {
    PROTECTED_AREA_NAME_ENG: 'A PARK',
    COMMON_SHORT_NAME: 'Sibbald Point',
    PROVINCIAL_PARK_CLASS_ENG: 'Recreational',
  }),
  area(3, {
    PROTECTED_AREA_NAME_ENG: 'NEW PLACE',
    TYPE_ENG: 'Adventure Park',
    PROVINCIAL_PARK_CLASS_ENG: 'Unclassified',
  }),
];
const reserves = [
  area(0, { PROTECTED_AREA_NAME_ENG: 'CLEAR LAKE CONSERVATION RESERVE', STATUS_ENG: 'Regulated Conservation Reserve' }),
];
const crownLand = [
  area(0, { POL_IDENT: 'P1', NAME_ENG: 'Algonquin', DESIG_ENG: 'Provincial Park', CATEGORY_E: 'Park' }),
  area(1, { POL_IDENT: 'G2', NAME_ENG: 'Wilberforce', DESIG_ENG: 'General Use Area', CATEGORY_E: 'Crown Land' }),
  area(2, { POL_IDENT: 'X3', NAME_ENG: 'Elsewhere', DESIG_ENG: 'Space Port', CATEGORY_E: null }),
];
const wetlands = [
  area(0, {
    WETLAND_TYPE: 'Unknown',
    WETLAND_SIGNIFICANCE: null,
    EVALUATED_WETLAND_IND: 'No',
    SYSTEM_CALCULATED_AREA: 4999.9,
  }),
  area(1, {
    WETLAND_TYPE: 'Fen',
    WETLAND_SIGNIFICANCE: 'Evaluated-Provincial',
    EVALUATED_WETLAND_IND: 'Yes',
    SYSTEM_CALCULATED_AREA: 20_000,
    EVALUATED_WETLAND_NAME: 'Big Fen',
  }),
  area(2, {
    WETLAND_TYPE: 'Unknown',
    WETLAND_SIGNIFICANCE: null,
    EVALUATED_WETLAND_IND: null,
    SYSTEM_CALCULATED_AREA: null,
  }),
];
const sites = [
  area(0, { OPERATION_TYPE: 'Pit' }),
  area(1, { OPERATION_TYPE: 'Both (Pit and Quarry)' }),
  area(2, { OPERATION_TYPE: 'Underground' }),
];
const lots = [
  area(0, {
    LOT_IDENT: 'LOT 26',
    CONCESSION_IDENT: 'CON 5',
    GEOGRAPHIC_TOWNSHIP_NAME: 'OPS',
    ROAD_ALLOWANCE_STATUS_FLG: null,
    CLASS_SUBTYPE: null,
  }),
  area(1, {
    LOT_IDENT: 'LOT 27',
    CONCESSION_IDENT: 'CON 5',
    GEOGRAPHIC_TOWNSHIP_NAME: 'OPS',
    ROAD_ALLOWANCE_STATUS_FLG: 'Yes',
    CLASS_SUBTYPE: null,
  }),
  area(2, {
    LOT_IDENT: 'LOT 28',
    CONCESSION_IDENT: 'CON 5',
    GEOGRAPHIC_TOWNSHIP_NAME: 'OPS',
    ROAD_ALLOWANCE_STATUS_FLG: null,
    CLASS_SUBTYPE: 'Road Allowance',
  }),
];
const municipalities = [
  area(0, {
    MUN_NAME: 'CITY OF VAUGHAN',
    NAME_PREF: 'CITY OF',
    NAME_SHORT: 'VAUGHAN',
    UPPER_TIER: 'REGIONAL MUNICIPALITY OF YORK',
  }),
  area(1, { MUN_NAME: 'CITY OF KAWARTHA LAKES', NAME_PREF: 'CITY OF', NAME_SHORT: 'KAWARTHA LAKES', UPPER_TIER: null }),
];
const tracks: TestFeature[] = [
  { geometry: { type: 'LineString', coordinates: [at(0), at(1)] }, properties: { CATEGORY: 'Railway Through Tunnel' } },
];

describe("the sources' words", function () {
  this.timeout(240_000);
  let miniature: Miniature;

  before(async () => {
    miniature = await Miniature.of({
      ...{ provincial_park_regulated: parks, conservation_reserve_regulated: reserves, clupa_provincial: crownLand },
      ...{ wetland: wetlands, aggregate_site_active: sites, lot_fabric: lots, municipal_lower_single: municipalities },
      ...{ orwn_track: tracks, first_nation_reserve: [area(0, { OFFICIAL_N: 'SAMPLE RIVER 12' })] },
      source_protection_area: [
        area(0, { SPP_ID: 45, SPR_ID: 27 }),
        area(1, { SPP_ID: 999 }),
        area(2, { SPP_ID: 45, LABEL: 'Upper Thames' }),
      ],
      soil_survey_complex: [
        area(0, { CLI1: '2', CLASS1: 'c' }),
        area(1, { CLI1: '2', CLASS1: 'C' }),
        area(2, { CLI1: '2', CLASS1: 'zz' }),
      ],
    });
  });
  after(() => {
    miniature[Symbol.dispose]();
  });

  it('writes names in capitals as people do, and keeps the text of the source in the evidence', () => {
    const { value, feature } = miniature.ask('provincialPark', inside(0));
    expect(value).to.deep.include({ name: "O'Donnell Point Provincial Park" });
    expect(feature).to.include({ sourceName: "O'DONNELL POINT PROVINCIAL PARK (NATURE RESERVE CLASS)" });
    expect(miniature.ask('provincialPark', inside(2)).value).to.deep.include({ name: 'Sibbald Point' });
    expect(miniature.ask('conservationReserve', inside(0)).value).to.deep.equal({
      name: 'Clear Lake Conservation Reserve',
    });
    expect(asWritten('ABITIBI-DE-TROYES PROVINCIAL PARK (WATERWAY CLASS)')).to.equal(
      'Abitibi-de-Troyes Provincial Park',
    );
    expect(asWritten('Mono Cliffs (south)')).to.equal('Mono Cliffs (south)');
  });

  it('answers no park for a protected area of the Far North, and tells of it', () => {
    expect(miniature.ask('provincialPark', inside(1))).to.deep.equal({
      ...{ value: null, state: 'absent' },
      feature: { sourceName: 'PIMACHIOWIN AKI', type: 'Protected Area - Far North' },
    });
    expect(miniature.ask('provincialPark', inside(3))).to.include({ value: null, state: 'unavailable' });
  });

  it('knows nothing of Crown land where the atlas has no area, and says which designation there is', () => {
    expect(miniature.ask('crownLandUse', [-85, 53])).to.deep.equal({
      value: null,
      state: 'no_coverage',
      feature: null,
    });
    expect(miniature.ask('crownLandUse', inside(0))).to.deep.equal({
      value: { policyId: 'P1', name: 'Algonquin', designation: 'Provincial Park' },
      ...{ state: 'present', feature: { designation: 'provincial_park', category: 'Park' } },
    });
    expect(miniature.ask('crownLandUse', inside(1)).feature).to.include({ designation: 'general_use_area' });
    expect(miniature.ask('crownLandUse', inside(2)).feature).to.include({ designation: null });
    expect(miniature.record('clupa_provincial').unknownWords).to.deep.equal({ DESIGNATION_ENG: { 'Space Port': 1 } });
  });

  it('says whether the nearest wetland was evaluated, and how large it is', () => {
    const told = [0, 1, 2].map((column) => miniature.ask('wetlandProximity', beyond(column, 20)).feature);
    expect(told).to.deep.equal([
      { evaluated: 'no', significance: null, type: 'Unknown', name: null, size: 'under 0.5 ha' },
      { evaluated: 'yes', significance: 'provincial', type: 'Fen', name: 'Big Fen', size: '2 ha or more' },
      { evaluated: null, significance: null, type: 'Unknown', name: null, size: null },
    ]);
  });

  it('takes the wider band for a quarry, and for a site of unknown kind', () => {
    const classes = [0, 1, 2].map((column) => miniature.ask('aggregateSiteProximity', beyond(column, 400)));
    expect(classes.map(({ value }) => value)).to.deep.equal(['adjacent', 'regulated', 'regulated']);
    expect(classes.map(({ feature }) => feature)).to.deep.equal([
      { operation: 'pit' },
      { operation: 'pit_and_quarry' },
      { operation: null },
    ]);
  });

  it('answers no lot on a road allowance', () => {
    expect(miniature.ask('lotConcession', inside(0)).value).to.deep.include({ lot: 'LOT 26' });
    for (const column of [1, 2])
      expect(miniature.ask('lotConcession', inside(column))).to.include({ value: null, state: 'absent' });
  });

  it("reads the province's shapefile names of municipalities and First Nations", () => {
    expect(miniature.ask('municipality', inside(0)).value).to.deep.include({
      name: 'CITY OF VAUGHAN',
      upperTier: 'REGIONAL MUNICIPALITY OF YORK',
    });
    expect(miniature.ask('municipality', inside(1)).value).to.deep.include({ upperTier: null });
    expect(miniature.ask('firstNationReserve', inside(0)).value).to.deep.equal({ name: 'SAMPLE RIVER 12' });
  });

  it('names source protection areas by their label or their number, as far as it is known', () => {
    const names = [0, 1, 2].map((column) => miniature.ask('sourceProtectionArea', inside(column)).value);
    expect(names).to.deep.equal([
      { spaId: '45', regionId: '27', name: 'Upper Thames River' },
      { spaId: '999', regionId: null, name: null },
      { spaId: '45', regionId: null, name: 'Upper Thames' },
    ]);
  });

  it('says that a track runs through a tunnel, and how steep the soil is', () => {
    expect(miniature.ask('railwayProximity', [at(0)[0] + 0.05, LAT]).feature).to.deep.equal({
      category: 'Railway Through Tunnel',
    });
    const slopes = [0, 1, 2].map((column) => miniature.ask('soil', inside(column)).feature);
    expect(slopes).to.deep.equal([{ slope: '2 to 5 %' }, { slope: '2 to 5 %' }, { slope: null }]);
  });
});
