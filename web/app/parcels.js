/** Asking about a parcel: by a GeoJSON file, which is shown before it is asked for, or by pasted text. */
import { has } from '../shared/api.js';
import { byId, el } from '../shared/dom.js';
import { aboutM2, parcelIn, polygonsOf, MOST_VERTICES } from '../shared/geojson-input.js';
import { fill, groundArea, number, textsIn } from '../shared/i18n.js';
import { say } from '../shared/status.js';
import { addResultStyles } from '../shared/styles.js';

/**
 * @typedef {import('../shared/geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('../shared/geojson-input.js').Parcel} Parcel
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {{
 *   language: () => Language, panel: import('../map/map-panel.js').MapPanel, ask: (geometry: AreaGeometry) => void, askEach: ((file: File) => void) | null,
 * }} ParcelOptions askEach: gets a file of places with a parcel in each row; null: nothing takes one
 */

/** Larger files are no parcel; reading them would only take time. */
const MOST_BYTES = 5_000_000;

/** @param {ParcelOptions} options */
export function takeParcels({ language, panel, ask, askEach }) {
  const field = /** @type {HTMLTextAreaElement} */ (byId('parcel-text'));
  /** What is shown before it is asked for. @type {{ name: string, parcel: Parcel } | null} */
  let previewed = null;

  const open = () => {
    byId('parcel').hidden = false;
    byId('parcel-shown').hidden = previewed === null;
    byId('parcel-heading').focus();
  };
  const read = (/** @type {string} */ text) => {
    const input = parcelIn(text);
    if ('geometry' in input) return input;
    say(fill(textsIn(language()).area.faults[input.fault], { most: MOST_VERTICES }));
    return null;
  };
  const describe = () => {
    if (previewed) byId('parcel-about').replaceChildren(...aboutParcel(language(), previewed, { ask, askEach }));
  };
  const preview = async (/** @type {string} */ name, /** @type {Parcel} */ parcel) => {
    previewed = { name, parcel };
    await addResultStyles();
    open();
    describe();
    const { geometry } = parcel;
    if (!has('maps')) return;
    const label = fill(textsIn(language()).area.map, { area: groundArea(language(), aboutM2(geometry)) });
    const [[lon, lat] = [0, 0]] = polygonsOf(geometry).flat(2);
    await panel.put('parcel-slot', {
      label,
      language: language(),
      drawing: (kinds) => kinds.drawingOfArea(geometry, { lat, lon }, new Set()),
    });
  };

  byId('open-parcel').addEventListener('click', () => {
    previewed = null;
    open();
  });
  byId('parcel-ask').addEventListener('click', () => {
    const parcel = read(field.value);
    if (parcel && parcel.outlines.length > 1) void preview(textsIn(language()).page.parcelText, parcel);
    else if (parcel) ask(parcel.geometry);
  });
  return {
    /** Shows the parcel in a file. */
    readFile: async (/** @type {File} */ file) => {
      const parcel = read(file.size > MOST_BYTES ? '' : await file.text());
      if (parcel) await preview(file.name, parcel);
    },
    /** Puts a parcel into the field, from where it can be asked for. */
    fill: (/** @type {AreaGeometry} */ geometry) => {
      byId('parcel').hidden = false;
      field.value = JSON.stringify(geometry);
    },
    translate: describe,
  };
}

/**
 * What was understood, and what asking for it costs.
 * @param {Language} language
 * @param {{ name: string, parcel: Parcel }} previewed
 * @param {Pick<ParcelOptions, 'ask' | 'askEach'>} actions
 */
function aboutParcel(language, { name, parcel: { geometry, outlines } }, { ask, askEach }) {
  const { area } = textsIn(language);
  const count = outlines.length;
  const corners = polygonsOf(geometry)
    .flat()
    .reduce((sum, ring) => sum + ring.length - 1, 0);
  const values = {
    ...{ name, count: number(language, count), corners: number(language, corners) },
    area: groundArea(language, aboutM2(geometry)),
  };
  const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => void} */ onclick) =>
    el('button', { type: 'button', id, className: 'primary', onclick }, fill(text, values));
  return [
    el('p', {}, fill(count === 1 ? area.understood : askEach ? area.several : area.oneOfSeveral, values)),
    button('parcel-together', count > 1 ? area.askTogether : area.askOne, () => ask(geometry)),
    count > 1 && askEach ? button('parcel-each', area.askEach, () => askEach(rowsOf(name, outlines))) : '',
  ];
}

/**
 * @param {string} name
 * @param {readonly AreaGeometry[]} outlines
 */
function rowsOf(name, outlines) {
  const lines = outlines.map((geometry, i) => `${JSON.stringify({ custom_id: String(i + 1), geometry })}\n`);
  return new File(lines, `${name.replace(/\.\w+$/, '')}.ndjson`);
}
