/** Drawing a parcel on the map, corner by corner: by clicks, or by keyboard with the middle of the map. */
import { byId, onClick } from '../shared/dom.ts';
import { crossingsOf, ringArea } from '../shared/ground.ts';
import { fill, groundArea, texts } from '../shared/i18n.ts';
import type { Position, AreaGeometry } from '../shared/area.ts';
import type { LandMap } from './map.ts';

const LEAST_CORNERS = 3;

/** A click this near the first corner, in pixels, ends the parcel. */
const CLOSE_PX = 12;

/** Makes the tools below the map work. */
export function drawParcels(map: LandMap, ask: (geometry: AreaGeometry) => void) {
  let corners: Position[] = [];

  const tell = () => {
    const told = byId('draw-told');
    told.textContent = toldOf(corners);
    told.classList.toggle('crosses', crossingsOf(corners).length > 0);
    map.sketch(corners);
    (byId('draw-finish') as HTMLButtonElement).disabled = corners.length < LEAST_CORNERS;
    (byId('draw-undo') as HTMLButtonElement).disabled = corners.length === 0;
  };
  const add = (corner: Position) => {
    const [first] = corners;
    const closes = first && corners.length >= LEAST_CORNERS && map.pixelsBetween(first, corner) < CLOSE_PX;
    if (closes) {
      finish();
      return;
    }
    corners.push(corner);
    tell();
  };
  const setDrawing = (isDrawing: boolean) => {
    byId('draw-tools').hidden = !isDrawing;
    for (const id of ['draw-start', 'ask-centre', 'click-note']) byId(id).hidden = isDrawing;
  };
  const end = () => {
    corners = [];
    map.sketch([]);
    map.onClick(null);
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
    map.onClick(({ lat, lon }) => add([lon, lat]));
    setDrawing(true);
    tell();
    byId('draw-middle').focus();
  };

  onClick('draw-start', start);
  onClick('draw-middle', () => {
    const { lat, lon } = map.centre();
    add([lon, lat]);
  });
  onClick('draw-undo', () => {
    corners.pop();
    tell();
  });
  onClick('draw-finish', finish);
  onClick('draw-cancel', end);
  byId('map-frame').addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && !byId('draw-tools').hidden) end();
  });
}

/** What is said of a parcel that is being drawn: its corners, and how large it is by now. */
function toldOf(corners: readonly Position[]) {
  const { area } = texts;
  if (corners.length === 0) return area.drawing;
  const told = [fill(area.corners, { count: corners.length })];
  if (crossingsOf(corners).length > 0) told.push(area.crossing);
  else if (corners.length >= LEAST_CORNERS) told.push(fill(area.sizeSoFar, { area: groundArea(ringArea(corners)) }));
  return told.join(' ');
}
