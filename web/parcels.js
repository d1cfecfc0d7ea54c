/** Asking about a parcel: by a GeoJSON file that is dropped or chosen, or by pasted text. */
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
  const chosen = /** @type {HTMLInputElement} */ (byId('parcel-file'));
  const read = (/** @type {string} */ text) => {
    const input = parcelIn(text);
    if ('geometry' in input) ask(input.geometry);
    else say(fill(textsIn(language()).area.faults[input.fault], { most: MOST_VERTICES }));
  };
  const readFile = async (/** @type {File | null | undefined} */ file) => {
    if (file) read(file.size > MOST_BYTES ? '' : await file.text());
  };

  byId('open-parcel').addEventListener('click', () => {
    byId('parcel').hidden = false;
    byId('parcel-heading').focus();
  });
  byId('parcel-ask').addEventListener('click', () => read(field.value));
  chosen.addEventListener('change', () => void readFile(chosen.files?.[0]));
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void readFile(file);
  });
  return {
    /** Puts a parcel into the field, from where it can be asked for. */
    fill: (/** @type {AreaGeometry} */ geometry) => {
      byId('parcel').hidden = false;
      field.value = JSON.stringify(geometry);
    },
  };
}
