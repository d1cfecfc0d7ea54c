/** What the map draws and where it begins, as data: no browser draws it here. */
import { expect } from 'chai';
import type * as Drawings from '../../../web/map/drawings.ts';
import type * as MapStyle from '../../../web/map/map-style.ts';
import type * as NearFeatures from '../../../web/map/near-features.ts';
import type * as Palette from '../../../web/map/palette.ts';
import { webModule } from './web-module.ts';

const { drawingOfAnswer, drawingOfPoints, startingAroundM } = (await webModule('map/drawings.ts')) as typeof Drawings;
const { circle } = (await webModule('map/near-features.ts')) as typeof NearFeatures;
const { DARK, LIGHT } = (await webModule('map/palette.ts')) as typeof Palette;

type Body = Parameters<typeof drawingOfAnswer>[0];
type Kind = Palette.Kind;

const place = { lat: 44.3, lon: -79.3 };
const RADIUS_M = 1000;
const disc = (radiusM: number): object => ({ type: 'Polygon', coordinates: [circle(place, radiusM)] });

/** An answer with an area of each data set around the place, so far away. */
function answer(distances: Readonly<Record<string, number>>, notReached: readonly object[] = []): Body {
  const features = Object.entries(distances).map(([dataSet, distanceM]) => ({
    type: 'Feature',
    properties: { dataSet, label: null, distanceM },
    geometry: disc(500),
  }));
  const unknown = notReached.map((geometry) => ({ type: 'Feature', properties: { dataSet: 'flood' }, geometry }));
  const geometry = { type: 'FeatureCollection', radiusM: RADIUS_M, truncated: false, features, notReached: unknown };
  return { ...place, address: null, geocode: { uncertaintyM: 30 }, geometry } as unknown as Body;
}

/** What is drawn of the data sets that are switched on, each with what it is to a reader. */
function layersOf(
  body: Body,
  kinds: Readonly<Record<string, Kind>>,
  { lit = null, ground = LIGHT }: { lit?: readonly string[] | null; ground?: Palette.Ground } = {},
): readonly MapStyle.Layer[] {
  const shown = { on: new Set(Object.keys(kinds)), kinds: new Map(Object.entries(kinds)) };
  return drawingOfAnswer(body, shown).styleOf({ base: { sources: {}, layers: [] }, ground, lit }).layers;
}

const paintOf = (layers: readonly MapStyle.Layer[], id: string): Readonly<Record<string, unknown>> =>
  layers.find((layer) => layer.id === id)!.paint!;

const filledIn = (layers: readonly MapStyle.Layer[]): string[] =>
  layers.filter(({ paint }) => Number(paint?.['fill-opacity']) === 0.25).map(({ id }) => id);

const overlapping = answer({ flood: 0, greenbelt: 0, lake: 8, near: 40 });
const KINDS = { flood: 'hazard', greenbelt: 'other', lake: 'close' } as const;

describe('The map of an answer, in its style', () => {
  it('has the colours of the cards: red for a hazard, amber for what is close, quiet ones for the rest', () => {
    for (const ground of [LIGHT, DARK]) {
      const layers = layersOf(overlapping, KINDS, { ground });
      const colours = ['flood', 'lake', 'greenbelt'].map((id) => paintOf(layers, `${id}:line`)['line-color']);
      expect(colours).to.deep.equal([ground.colours.hazard, ground.colours.close, ground.colours.green]);
    }
  });

  it('fills the one hazard, and outlines what lies over it', () => {
    expect(filledIn(layersOf(overlapping, KINDS))).to.deep.equal(['flood:fill']);
  });

  it('fills nothing where several hazards would lie on each other, nor what is none', () => {
    expect(filledIn(layersOf(overlapping, { ...KINDS, greenbelt: 'hazard' }))).to.deep.equal([]);
    expect(filledIn(layersOf(overlapping, { greenbelt: 'other', lake: 'close' }))).to.deep.equal([]);
  });

  it('fills what somebody points at and nothing else, also what is switched off, and lets the rest fade', () => {
    const layers = layersOf(overlapping, KINDS, { lit: ['near'] });
    expect(filledIn(layers)).to.deep.equal(['near:fill']);
    const visibilityOf = (id: string): unknown => layers.find((layer) => layer.id === id)!.layout!['visibility'];
    expect([visibilityOf('near:line'), visibilityOf('flood:line')]).to.deep.equal(['visible', 'visible']);
    expect(paintOf(layers, 'flood:line')['line-opacity']).to.be.below(0.5);
    expect(paintOf(layers, 'near:line')['line-opacity']).to.equal(1);
    const without = layersOf(overlapping, KINDS);
    expect(without.find(({ id }) => id === 'near:line')!.layout!['visibility']).to.equal('none');
  });

  it('draws wide lines below narrow ones, so that edges on each other are all seen', () => {
    const lines = layersOf(overlapping, KINDS).filter(({ id }) => /^(flood|lake|greenbelt):line$/.test(id));
    const widths = lines.map(({ paint }) => paint!['line-width'] as number);
    expect(widths).to.deep.equal(widths.toSorted((a, b) => b - a));
  });

  it('is dark on dark ground, with nothing of the light one', () => {
    const style = JSON.stringify(layersOf(overlapping, KINDS, { ground: DARK }));
    expect(style).to.contain(DARK.paper).and.to.contain(DARK.disc);
    for (const light of [LIGHT.paper, LIGHT.disc, LIGHT.ink, ...Object.values(LIGHT.colours)])
      expect(style).not.to.contain(light);
  });

  it('has light stripes where a hazard is not known, of those that are known somewhere around', () => {
    const stripes = (notReached: readonly object[]): readonly unknown[] => {
      const body = answer({ greenbelt: 0 }, notReached);
      const look = { base: { sources: {}, layers: [] }, ground: LIGHT, lit: null };
      const { sources, layers } = drawingOfAnswer(body, { on: new Set(), kinds: new Map() }).styleOf(look);
      expect(paintOf(layers, 'hatch')['fill-opacity']).to.equal(1 / 3);
      return sources['hatch']!.data!.features;
    };
    expect(stripes([disc(RADIUS_M)])).to.deep.equal([]);
    expect(stripes([{ type: 'MultiPolygon', coordinates: [[circle(place, RADIUS_M)]] }])).to.deep.equal([]);
    const holed = { type: 'Polygon', coordinates: [circle(place, RADIUS_M), circle(place, 300)] };
    expect(stripes([disc(700), holed, disc(RADIUS_M)])).to.have.length(2);
  });
});

describe('The map of a batch, in its style', () => {
  const town = { text: 'Town of Maple', ...place };
  const named = (base: readonly MapStyle.Layer[]): unknown[] => {
    const { layers, sources } = drawingOfPoints([{ ...place, kind: 'found' }], [town]).styleOf({
      base: { sources: {}, layers: base },
      ground: LIGHT,
      lit: null,
    });
    const shown = layers.filter(({ type }) => type === 'symbol').map(({ source }) => sources[source!]!.data!.features);
    return shown.flat().map(({ properties, geometry }) => [properties['picture'], geometry.coordinates]);
  };

  it('names the towns of its rows where there is no other map', () => {
    expect(named([])).to.deep.equal([['place:Town of Maple', [place.lon, place.lat]]]);
    expect(named([{ id: 'streets', type: 'line' }])).to.deep.equal([]);
  });
});

describe('Where the map of an answer begins', () => {
  const aroundM = (distances: Readonly<Record<string, number>>, findings: readonly string[]): number =>
    startingAroundM(answer(distances), new Set(findings));

  it('is 250 m around the place, where one recognises it', () => {
    expect(aroundM({ greenbelt: 0, lake: 30 }, ['greenbelt', 'lake'])).to.equal(250);
    expect(aroundM({ greenbelt: 0, lake: 800 }, ['greenbelt']), 'no finding').to.equal(250);
  });

  it('reaches as far as the farthest finding and the uncertainty of the place, and never beyond what was answered', () => {
    expect(aroundM({ well: 600, greenbelt: 0 }, ['well', 'greenbelt'])).to.equal(700);
    expect(aroundM({ well: 990 }, ['well'])).to.equal(RADIUS_M);
    expect(aroundM({}, ['elsewhere'])).to.equal(250);
    const body = answer({});
    expect(startingAroundM({ ...body, geocode: { ...body.geocode, uncertaintyM: 400 } }, new Set())).to.equal(450);
  });

  it('offers what was answered as the other view, and none where that is the same', () => {
    const viewsOf = (distances: Readonly<Record<string, number>>): number[] =>
      drawingOfAnswer(answer(distances), { on: new Set(Object.keys(distances)), kinds: new Map() }).views!.map(
        (view) => view.aroundM,
      );
    expect(viewsOf({ lake: 8 })).to.deep.equal([250, RADIUS_M]);
    expect(viewsOf({ well: 950 })).to.deep.equal([RADIUS_M]);
  });
});
