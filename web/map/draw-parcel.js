/** Drawing a parcel on the map, corner by corner: by clicks, or by keyboard with the middle of the map. */
import { byId } from '../shared/dom.js';
import { crossingsOf, ringArea } from '../shared/ground.js';
import { fill, groundArea, textsIn } from '../shared/i18n.js';

/**
 * @typedef {import('../shared/geojson-input.js').Position} Position
 * @typedef {import('../shared/geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('./map.js').LandMap} LandMap
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {{ map: () => LandMap | null, language: () => Language, ask: (geometry: AreaGeometry) => void }} DrawOptions
 */

const LEAST_CORNERS = 3;

/** A click this near the first corner, in pixels, ends the parcel. */
const CLOSE_PX = 12;

/**
 * Makes the tools below the map work.
 * @param {DrawOptions} options
 */
export function drawParcels({ map, language, ask }) {
  /** @type {Position[]} */
  let corners = [];

  const tell = () => {
    const told = byId('draw-told');
    told.textContent = toldOf(language(), corners);
    told.classList.toggle('crosses', crossingsOf(corners).length > 0);
    map()?.sketch(corners);
    /** @type {HTMLButtonElement} */ (byId('draw-finish')).disabled = corners.length < LEAST_CORNERS;
    /** @type {HTMLButtonElement} */ (byId('draw-undo')).disabled = corners.length === 0;
  };
  const add = (/** @type {Position} */ corner) => {
    const [first] = corners;
    const closes =
      first && corners.length >= LEAST_CORNERS && (map()?.pixelsBetween(first, corner) ?? Infinity) < CLOSE_PX;
    if (closes) {
      finish();
      return;
    }
    corners.push(corner);
    tell();
  };
  const setDrawing = (/** @type {boolean} */ isDrawing) => {
    byId('draw-tools').hidden = !isDrawing;
    for (const id of ['draw-start', 'ask-centre', 'click-note']) byId(id).hidden = isDrawing;
  };
  const end = () => {
    corners = [];
    map()?.sketch([]);
    map()?.onClick(null);
    setDrawing(false);
  };
  const finish = () => {
    const [first] = corners;
    if (!first || corners.length < LEAST_CORNERS) return;
    const ring = [...corners, first];
    end();
    ask({ type: 'Polygon', coordinates: [ring] });
  };
  const start = () => {
    corners = [];
    map()?.onClick(({ lat, lon }) => add([lon, lat]));
    setDrawing(true);
    tell();
    byId('draw-middle').focus();
  };

  byId('draw-start').addEventListener('click', start);
  byId('draw-middle').addEventListener('click', () => {
    const middle = map()?.centre();
    if (middle) add([middle.lon, middle.lat]);
  });
  byId('draw-undo').addEventListener('click', () => {
    corners.pop();
    tell();
  });
  byId('draw-finish').addEventListener('click', finish);
  byId('draw-cancel').addEventListener('click', end);
  byId('map-frame').addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && !byId('draw-tools').hidden) end();
  });
}

/**
 * What is said of a parcel that is being drawn: its corners, and how large it is by now.
 * @param {Language} language
 * @param {readonly Position[]} corners
 */
function toldOf(language, corners) {
  const { area } = textsIn(language);
  if (corners.length === 0) return area.drawing;
  const told = [fill(area.corners, { count: corners.length })];
  if (crossingsOf(corners).length > 0) told.push(area.crossing);
  else if (corners.length >= LEAST_CORNERS)
    told.push(fill(area.sizeSoFar, { area: groundArea(language, ringArea(corners)) }));
  return told.join(' ');
}
