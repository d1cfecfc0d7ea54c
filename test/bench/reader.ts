import type { Catalogue } from '../../src/shared/catalogue/catalogue.ts';
import { layersWriter } from '../../workers/lookup/answers/answer-place.ts';
import { cellView } from '../../workers/lookup/views/cell-view.ts';
import { indexedDataSets } from '../../workers/lookup/cells/indexed-data-sets.ts';
import { openCells, readDirectory } from '../../workers/lookup/cells/open.ts';
import { openGazetteer } from '../../workers/lookup/gazetteer/open.ts';
import { project, type ProjectedPoint } from '../../workers/geopackage/projection.ts';
import { referenceView } from '../../workers/lookup/views/reference-view.ts';
import type { PlaceView } from '../../workers/lookup/views/view.ts';
import { openSnapshot } from '../../workers/geopackage/snapshot.ts';

type View = (at: ProjectedPoint) => PlaceView;

/** What a lookup thread does, in this thread, by either way to the layers. */
export interface Reader extends Disposable {
  readonly cells: View;
  readonly reference: View;
  /** The layers' JSON. */
  readonly layersJson: (view: PlaceView) => string;
  /** The answer's JSON as bytes, null for an address that is not found. */
  readonly lookUp: (address: string, view: View) => Buffer | null;
}

export function openReader(folder: string, catalogue: Catalogue): Reader {
  const snapshot = openSnapshot(folder);
  const gazetteer = openGazetteer(snapshot.dataset);
  const needed = indexedDataSets(catalogue.answers, snapshot.manifest);
  const index = openCells(snapshot, { directory: readDirectory(snapshot), needed });
  const layersJson = layersWriter(catalogue.answers);
  return {
    layersJson,
    cells: (at) => cellView(snapshot, index, at),
    reference: (at) => referenceView(snapshot, at),
    lookUp: (address, view) => {
      const result = gazetteer.geocode(address);
      if (!('found' in result)) return null;
      const seen = view(project(result.found));
      if (seen.near('province', 0).length === 0) return null;
      return Buffer.from(`{"address":${JSON.stringify(result.found.address)},"layers":${layersJson(seen)}}`);
    },
    [Symbol.dispose]: () => {
      snapshot.close();
    },
  };
}
