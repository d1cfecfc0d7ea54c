/** Asking about a parcel: by a GeoJSON file, or by pasted text. */
import { byId } from './dom.js';
import { parcelIn, MOST_VERTICES } from './geojson-input.js';
import { fill, textsIn } from './i18n.js';
import { say } from './status.js';

/**
 * @typedef {import('./geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('./session.js').Language} Language
 */

/** Larger files are no parcel; reading them would only take time. */
const MOST_BYTES = 5_000_000;

/**
 * @param {{ language: () => Language, ask: (geometry: AreaGeometry) => void }} options
 */
export function takeParcels({ language, ask }) {
  const field = /** @type {HTMLTextAreaElement} */ (byId('parcel-text'));
  const read = (/** @type {string} */ text) => {
    const input = parcelIn(text);
    if ('geometry' in input) ask(input.geometry);
    else say(fill(textsIn(language()).area.faults[input.fault], { most: MOST_VERTICES }));
  };

  byId('open-parcel').addEventListener('click', () => {
    byId('parcel').hidden = false;
    byId('parcel-heading').focus();
  });
  byId('parcel-ask').addEventListener('click', () => read(field.value));
  return {
    /** Asks for the parcel in a file. */
    readFile: async (/** @type {File} */ file) => read(file.size > MOST_BYTES ? '' : await file.text()),
    /** Puts a parcel into the field, from where it can be asked for. */
    fill: (/** @type {AreaGeometry} */ geometry) => {
      byId('parcel').hidden = false;
      field.value = JSON.stringify(geometry);
    },
  };
}
