/** Asking about a parcel: by a GeoJSON file, which is shown before it is asked for, or by pasted text. */
import { has } from '../shared/api.ts';
import { button, byId, el, write } from '../shared/dom.ts';
import { markedEncoding } from '../shared/encoding.ts';
import { polygonsOf, type AreaGeometry } from '../shared/area.ts';
import { placesIn, MOST_VERTICES, type Counts, type FilePlaces, type Place } from '../shared/geojson-input.ts';
import { aboutM2, crossingsOf } from '../shared/ground.ts';
import { fill, groundArea, language, number, texts } from '../shared/i18n.ts';
import { idOfFeature } from '../shared/ids.ts';
import { say } from '../shared/status.ts';
import { addResultStyles } from '../shared/styles.ts';
import { fileTexts, type FileTexts } from '../texts/files.ts';
import type { MapPanel } from '../map/map-panel.ts';

/** `askEach`: gets a file of places with a parcel in each row; null: nothing takes one. */
type ParcelOptions = {
  panel: MapPanel;
  ask: (geometry: AreaGeometry) => void;
  askEach: ((file: File) => void) | null;
};

export function takeParcels({ panel, ask, askEach }: ParcelOptions) {
  const field = byId('parcel-text') as HTMLTextAreaElement;
  /** What is shown before it is asked for. */
  let previewed: Previewed | null = null;

  const open = () => {
    byId('parcel').hidden = false;
    byId('parcel-shown').hidden = previewed === null;
    byId('parcel-heading').focus();
  };
  const refuse = (fault: Fault, values: Readonly<Record<string, string | number>> = {}) => {
    say(fill(fileTexts[language].faults[fault], { most: number(MOST_VERTICES), ...values }));
    return null;
  };
  /** `more`: what the file had that GeoJSON does not say. */
  const read = (text: string, more: Counts = {}): FilePlaces | null => {
    // An earlier refusal is not about this one.
    say('');
    const input = placesIn(text);
    const leftOut = { ...more, ...('fault' in input ? {} : input.leftOut) };
    const left = leftOutIn(leftOut);
    if ('fault' in input)
      return input.fault === 'noFeatures' && left ? refuse('nothing', { left }) : refuse(input.fault, input.values);
    if (input.places.length === 0) return refuse('nothing', { left });
    if (!askEach && input.geometry === null) return refuse('pointsAlone');
    if (!askEach && isTooMuch(input)) return refuse('tooManyTogether');
    return { ...input, leftOut };
  };
  const describe = () => {
    if (previewed) write('parcel-about', aboutParcel(previewed, { ask, askEach }));
  };
  const preview = async (name: string, parcel: FilePlaces) => {
    const { geometry } = parcel;
    const rings = geometry ? polygonsOf(geometry).flat() : [];
    const areaM2 = geometry ? aboutM2(geometry) : 0;
    previewed = { name, parcel, areaM2, crosses: rings.some((ring) => crossingsOf(ring).length > 0) };
    await addResultStyles();
    open();
    describe();
    if (!has('maps')) return;
    byId('parcel-slot').hidden = geometry === null;
    if (!geometry) return;
    const label = fill(texts.area.map, { area: groundArea(areaM2) });
    const [[lon, lat] = [0, 0]] = rings.flat();
    await panel.put('parcel-slot', label, (kinds) =>
      kinds.drawingOfArea(geometry, { lat, lon }, { on: new Set(), kinds: new Map() }),
    );
  };

  const readText = async (name: string, text: string, more?: Counts) => {
    // What a refusal says is not about the parcel of an earlier file.
    previewed = null;
    byId('parcel-shown').hidden = true;
    const parcel = read(text, more);
    if (!parcel) return;
    // Points of which nothing is to be said have a preview of their own.
    if (askEach && !parcel.geometry && notesOn(parcel).length === 0) askEach(rowsOf(name, parcel.places));
    else await preview(name, parcel);
  };

  return {
    open: () => {
      previewed = null;
      open();
    },
    /** Asks for what is pasted, or shows it where there is something to be said of it. */
    askText: () => {
      const parcel = read(field.value);
      const [only] = parcel?.places.length === 1 ? parcel.outlines : [];
      if (parcel && only && notesOn(parcel).length === 0) ask(only.geometry);
      else void readText(texts.page.parcelText, field.value);
    },
    /** Shows the places in a file of GeoJSON. */
    readFile: async (file: File) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      let text: string;
      try {
        text = new TextDecoder(markedEncoding(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
      } catch {
        refuse('notUtf8');
        return;
      }
      await readText(file.name, text);
    },
    readText,
    translate: describe,
  };
}

type Fault = keyof FileTexts['faults'];

/** `crosses`: an outline crosses itself. */
type Previewed = { name: string; parcel: FilePlaces; areaM2: number; crosses: boolean };

/** Whether the outlines have too many corners for one question. */
const isTooMuch = ({ geometry }: FilePlaces) =>
  geometry !== null && polygonsOf(geometry).flat(2).length > MOST_VERTICES;

/** What is not asked for, in words; empty: everything is. */
const leftOutIn = (leftOut: Counts) =>
  Object.entries(leftOut)
    .map(([kind, n]) => fill(fileTexts[language].leftOut[kind as keyof Counts], { n: number(n) }))
    .join(', ');

/** What somebody must know of a file before asking. */
function notesOn({ leftOut, isPart, isNad83 }: FilePlaces) {
  const words = fileTexts[language];
  const left = leftOutIn(leftOut);
  return [left ? fill(words.left, { left }) : '', isPart ? words.isPart : '', isNad83 ? words.isNad83 : ''].filter(
    Boolean,
  );
}

type Asking = Pick<ParcelOptions, 'ask' | 'askEach'>;

/** What was understood, and what asking for it costs. */
function aboutParcel({ name, parcel, areaM2, crosses }: Previewed, asking: Asking) {
  const words = fileTexts[language];
  const { geometry, outlines, places } = parcel;
  const rings = geometry ? polygonsOf(geometry).flat() : [];
  const corners = rings.reduce((sum, ring) => sum + ring.length - 1, 0);
  const points = places.length - outlines.length;
  const values = {
    ...{ name, count: number(outlines.length), points: number(points) },
    ...{ corners: number(corners), most: number(MOST_VERTICES) },
    ...{ area: groundArea(areaM2), all: number(places.length) },
  };
  const notes = [
    ...notesOn(parcel),
    crosses ? words.crossingInFile : '',
    isTooMuch(parcel) ? words.tooManyTogether : '',
    points > 0 && !asking.askEach ? words.pointsLeft : '',
  ];
  return [
    el('p', fill(words[toldOf(parcel, asking)], values)),
    ...notes.filter(Boolean).map((note) => el('p.crosses', fill(note, values))),
    ...buttonsOf(name, parcel, asking).map(({ id, text, onclick }) =>
      button(fill(words[text], values), onclick, { id, className: 'primary' }),
    ),
  ];
}

function toldOf({ geometry, outlines, places }: FilePlaces, { askEach }: Asking) {
  if (geometry === null) return 'points';
  if (places.length > outlines.length) return 'mixed';
  if (outlines.length === 1) return 'understood';
  return askEach ? 'several' : 'oneOfSeveral';
}

/** `text`: of the button. */
function buttonsOf(name: string, parcel: FilePlaces, { ask, askEach }: Asking) {
  const { geometry, outlines, places } = parcel;
  const hasPoints = places.length > outlines.length;
  const together = {
    id: 'parcel-together',
    text: hasPoints ? 'askOutlines' : outlines.length > 1 ? 'askTogether' : 'askOne',
    onclick: () => {
      if (geometry) ask(geometry);
    },
  } as const;
  const each = {
    id: 'parcel-each',
    text: places.length > 1 ? 'askEach' : 'askPoint',
    onclick: () => askEach?.(rowsOf(name, places)),
  } as const;
  const isEach = askEach !== null && (places.length > 1 || geometry === null);
  return [...(geometry && !isTooMuch(parcel) ? [together] : []), ...(isEach ? [each] : [])];
}

/** A file of places with a row for each, under what it is called by; what it has as properties goes along for the saved table. */
function rowsOf(name: string, places: readonly Place[]) {
  const lines = places.map(({ id, number, ...place }) => {
    const custom_id = idOfFeature({ id, ...place }) ?? String(number);
    return `${JSON.stringify({ ...place, custom_id })}\n`;
  });
  return new File(lines, `${name.replace(/\.\w+$/, '')}.ndjson`);
}
