/**
 * The colours of the map, on light and on dark ground. What a finding is decides, as on its card: red is a hazard, amber what is so close that a distance
 * is regulated. All else is quiet: bluish for water, greenish for green land, otherwise grey.
 */

/** What a data set on the map is to a reader. */
export type Kind = 'hazard' | 'close' | 'other';

/** How features look that help to find one's way: water, railways, boundaries. */
type Quiet = { fill?: string; line: string; dashes?: number[] };
type Colours = Record<'hazard' | 'close' | 'water' | 'green' | 'grey', string>;
/** `paper`: of the map, `disc`: within the ring of an answer. `edge`: around dots. */
export type Ground = Record<'paper' | 'disc' | 'ink' | 'soft' | 'edge' | 'ring' | 'mark', string> & {
  colours: Colours;
  quiet: Record<string, Quiet>;
};

const FAR = [6, 2, 1, 2];

/** The red is that of the cards (style.css). */
export const LIGHT: Ground = {
  ...{ paper: '#f2efe7', disc: '#fffdf8', ink: '#1f2a30', soft: '#55626a', edge: '#fff', ring: '#b9b2a2' },
  mark: '#d64933',
  colours: { hazard: '#9b2c1f', close: '#b07800', water: '#3f7290', green: '#5a7550', grey: '#5d6670' },
  quiet: {
    lot_fabric: { line: '#ece7da' },
    geographic_township: { line: '#dcd5c4', dashes: [4, 2] },
    municipal_lower_single: { line: '#cdc5b3', dashes: FAR },
    municipal_upper_district: { line: '#bfb6a2', dashes: FAR },
    built_up_area: { fill: '#f7f1e6', line: '#efe7d8' },
    ohn_waterbody: { fill: '#dde9f0', line: '#c6d9e4' },
    ohn_watercourse: { line: '#c6d9e4' },
    ohn_shoreline: { line: '#c6d9e4' },
    orwn_track: { line: '#c9c4ba', dashes: [5, 2] },
  },
};

export const DARK: Ground = {
  ...{ paper: '#14191c', disc: '#1c2327', ink: '#e8e6df', soft: '#b3bcc1', edge: '#14191c', ring: '#5b666c' },
  mark: '#ff7a63',
  colours: { hazard: '#f0998b', close: '#e5b04e', water: '#7fb2d0', green: '#9bb78e', grey: '#a5aeb4' },
  quiet: {
    lot_fabric: { line: '#2b3338' },
    geographic_township: { line: '#39434a', dashes: [4, 2] },
    municipal_lower_single: { line: '#465057', dashes: FAR },
    municipal_upper_district: { line: '#525d64', dashes: FAR },
    built_up_area: { fill: '#232a2d', line: '#2d3538' },
    ohn_waterbody: { fill: '#1d3341', line: '#2f4d5f' },
    ohn_watercourse: { line: '#2f4d5f' },
    ohn_shoreline: { line: '#2f4d5f' },
    orwn_track: { line: '#59636a', dashes: [5, 2] },
  },
};

/** The ground of the screen; paper is light. */
export const groundNow = () => (matchMedia('(prefers-color-scheme: dark)').matches ? DARK : LIGHT);

const families: Record<string, keyof Colours> = Object.fromEntries([
  ...['ohn_watercourse', 'ohn_waterbody', 'ohn_shoreline', 'wetland', 'flood_hazard', 'constructed_drain'].map(
    (id) => [id, 'water'] as const,
  ),
  ...[
    ...['greenbelt', 'greenbelt_specialty_crop', 'orm_land_use', 'nep_boundary', 'nep_designation', 'wooded_area'],
    ...['natural_heritage_system', 'ansi', 'provincial_park_regulated', 'conservation_reserve_regulated'],
  ].map((id) => [id, 'green'] as const),
]);

/** The colour of a data set's lines. */
export const colourOf = (dataSet: string, kind: Kind, { colours }: Ground) =>
  colours[kind === 'other' ? (families[dataSet] ?? 'grey') : kind];

/** The width of its lines, in pixels: colour alone tells nothing to some. */
export const widthOf = (dataSet: string, kind: Kind) =>
  ({ hazard: 3.5, close: 2.5, other: ['ohn_watercourse', 'orwn_track', 'utility_line'].includes(dataSet) ? 2 : 1.5 })[
    kind
  ];

/** The dashes of its lines, in widths; null where they are solid. */
export const dashesOf = (dataSet: string) => (['orwn_track', 'utility_line'].includes(dataSet) ? [2, 1.5] : null);

/** Of an outcome. */
const OUTCOME = { edge: '#fff', radius: 5 };

/** How the rows of a batch look on the map and beside it, by outcome and by what they have of a layer; what lies below first. */
export const looks = {
  found: { ...OUTCOME, colour: '#1f5e4b' },
  notFound: { ...OUTCOME, colour: '#d59a1e' },
  outside: { ...OUTCOME, colour: '#5a6fd0' },
  invalid: { ...OUTCOME, colour: '#9b2c1f' },
  failed: { ...OUTCOME, colour: '#3f3f46' },
  unknown: { colour: '#8a94a0', edge: '#fff', radius: 3.5 },
  none: { colour: '#fffdf8', edge: '#55626a', radius: 4.5 },
  close: { colour: '#d59a1e', edge: '#1f2a30', radius: 5 },
  here: { colour: '#9b2c1f', edge: '#fff', radius: 7 },
};
