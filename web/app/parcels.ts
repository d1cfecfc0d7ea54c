/** Asking about a parcel: by a GeoJSON file, which is shown before it is asked for, or by pasted text. */
import { button, byId, el, onClick, write } from '../shared/dom.ts';
import {
  aboutM2,
  parcelIn,
  pointsIn,
  polygonsOf,
  MOST_VERTICES,
  type AreaGeometry,
  type Named,
  type Parcel,
} from '../shared/geojson-input.ts';
import { crossingsOf } from '../shared/ground.ts';
import { fill, groundArea, number, texts } from '../shared/i18n.ts';
import { idOfFeature } from '../shared/ids.ts';
import { say } from '../shared/status.ts';
import { addResultStyles } from '../shared/styles.ts';
import type { MapPanel } from '../map/map-panel.ts';

/** `askEach`: gets a file of places with a parcel in each row; null: nothing takes one. */
type ParcelOptions = {
  panel: MapPanel;
  ask: (geometry: AreaGeometry) => void;
  askEach: ((file: File) => void) | null;
};

/** Larger files are no parcel; reading them would only take time. */
const MOST_BYTES = 5_000_000;

export function takeParcels({ panel, ask, askEach }: ParcelOptions) {
  const field = byId('parcel-text') as HTMLTextAreaElement;
  /** What is shown before it is asked for. */
  let previewed: Previewed | null = null;

  const open = () => {
    byId('parcel').hidden = false;
    byId('parcel-shown').hidden = previewed === null;
    byId('parcel-heading').focus();
  };
  const read = (text: string) => {
    const input = parcelIn(text);
    // An earlier refusal is not about this one.
    say('');
    if ('geometry' in input) return input;
    say(fill(texts.area.faults[input.fault], { most: MOST_VERTICES }));
    return null;
  };
  const describe = () => {
    if (previewed) write('parcel-about', aboutParcel(previewed, { ask, askEach }));
  };
  const preview = async (name: string, parcel: Parcel) => {
    const { geometry } = parcel;
    const rings = polygonsOf(geometry).flat();
    const crosses = rings.some((ring) => crossingsOf(ring).length > 0);
    previewed = { name, parcel, areaM2: aboutM2(geometry), crosses };
    await addResultStyles();
    open();
    describe();
    const label = fill(texts.area.map, { area: groundArea(previewed.areaM2) });
    const [[lon, lat] = [0, 0]] = rings.flat();
    await panel.put('parcel-slot', label, (kinds) =>
      kinds.drawingOfArea(geometry, { lat, lon }, { on: new Set(), kinds: new Map() }),
    );
  };

  const readText = async (name: string, text: string) => {
    // What a refusal says is not about the parcel of an earlier file.
    previewed = null;
    byId('parcel-shown').hidden = true;
    const points = askEach ? pointsIn(text) : [];
    const parcel = points.length > 0 ? null : read(text);
    if (parcel) await preview(name, parcel);
    else if (points.length > 0) askEach?.(rowsOf(name, points));
  };

  onClick('open-parcel', () => {
    previewed = null;
    open();
  });
  onClick('parcel-ask', () => {
    const parcel = read(field.value);
    if (parcel && parcel.outlines.length > 1) void preview(texts.page.parcelText, parcel);
    else if (parcel) ask(parcel.geometry);
  });
  return {
    /** Shows the parcel in a file; points in it are places. */
    readFile: async (file: File) => readText(file.name, file.size > MOST_BYTES ? '' : await file.text()),
    readText,
    /** Puts a parcel into the field, from where it can be asked for. */
    fill: (geometry: AreaGeometry) => {
      byId('parcel').hidden = false;
      field.value = JSON.stringify(geometry);
    },
    translate: describe,
  };
}

/** `crosses`: an outline crosses itself. */
type Previewed = { name: string; parcel: Parcel; areaM2: number; crosses: boolean };

/** What was understood, and what asking for it costs. */
function aboutParcel(
  { name, parcel: { geometry, outlines }, areaM2, crosses }: Previewed,
  { ask, askEach }: Pick<ParcelOptions, 'ask' | 'askEach'>,
) {
  const { area } = texts;
  const count = outlines.length;
  const corners = polygonsOf(geometry)
    .flat()
    .reduce((sum, ring) => sum + ring.length - 1, 0);
  const values = { name, count: number(count), corners: number(corners), area: groundArea(areaM2) };
  const asking = (id: string, text: string, onclick: () => void) =>
    button(fill(text, values), onclick, { id, className: 'primary' });
  return [
    el('p', {}, fill(count === 1 ? area.understood : askEach ? area.several : area.oneOfSeveral, values)),
    crosses && el('p', { className: 'crosses' }, area.crossingInFile),
    asking('parcel-together', count > 1 ? area.askTogether : area.askOne, () => ask(geometry)),
    count > 1 && askEach && asking('parcel-each', area.askEach, () => askEach(rowsOf(name, outlines))),
  ];
}

/** A file of places with a row for each feature, under what it is called by; what it has as properties goes along for the saved table. */
function rowsOf(
  name: string,
  features: readonly (Named & ({ geometry: AreaGeometry } | { lat: number; lon: number }))[],
) {
  const lines = features.map(({ id, ...feature }, i) => {
    const custom_id = idOfFeature({ id, ...feature }) ?? String(i + 1);
    return `${JSON.stringify({ ...feature, custom_id })}\n`;
  });
  return new File(lines, `${name.replace(/\.\w+$/, '')}.ndjson`);
}
