import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { LookupDetail } from '../../../src/messages/lookup.ts';
import { LookupWriter } from '../../../workers/engine/answers/lookup-writer.ts';
import { cellView } from '../../../workers/engine/views/cell-view.ts';
import { project, type ProjectedPoint } from '../../../workers/geopackage/lambert.ts';
import { referenceView } from '../../../workers/engine/views/reference-view.ts';
import type { PlaceView } from '../../../workers/engine/views/view.ts';
import { openServed, prepareSnapshot } from '../../../workers/engine/served-snapshot.ts';
import { threadFeatures } from '../../../workers/threads/features.ts';

type View = (at: ProjectedPoint) => PlaceView;

/** A plain answer, one with its evidence, or one with evidence and map. */
export type Detail = 'plain' | 'full' | 'near';

/** What a lookup thread does, in this thread, by either way to the layers. */
export interface Reader extends Disposable {
  readonly cells: View;
  readonly reference: View;
  /** The layers' JSON. */
  readonly layersJson: (view: PlaceView) => string;
  /** The answer's JSON as bytes, null for an address that is not found. */
  readonly lookUp: (address: string, view: View, detail?: Detail, members?: LookupDetail['members']) => Buffer | null;
}

export function openReader(folder: string, catalogue: Catalogue, features = threadFeatures): Reader {
  const served = openServed({ ...prepareSnapshot(folder, false, features), opening: 1 }, catalogue, features);
  const { snapshot, cells, gazetteer } = served;
  const writer = new LookupWriter(catalogue);
  return {
    layersJson: (view) => writer.layers(view),
    cells: (at) => cellView(snapshot, cells!, at),
    reference: (at) => referenceView(snapshot, at),
    lookUp: (address, viewOf, detail = 'plain', members) => {
      const result = gazetteer!.geocode(address);
      if (!('found' in result)) return null;
      const geocode = result.found;
      const at = project(geocode);
      const view = viewOf(at);
      if (view.near('province', 0).length === 0) return null;
      const asked = { view, geocode, further: undefined, members };
      if (detail === 'plain') return Buffer.from(writer.plain(served, geocode, asked));
      const geometry = detail === 'near' ? detail : undefined;
      return Buffer.from(writer.full(served, geocode, { ...asked, at, geometry }));
    },
    [Symbol.dispose]: () => {
      snapshot.close();
    },
  };
}
