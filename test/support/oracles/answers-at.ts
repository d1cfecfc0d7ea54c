import { expect } from 'chai';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { allAnswers } from '../../../src/catalogue/catalogue.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { project } from '../../../workers/geopackage/lambert.ts';
import { openSnapshot, rulesOf } from '../../../workers/geopackage/snapshot.ts';
import { neededFromIndex } from '../../../workers/engine/kinds/indexed-data-sets.ts';
import { openCells, readDirectory } from '../../../workers/engine/cells/open.ts';
import { cellView } from '../../../workers/engine/views/cell-view.ts';
import { referenceView } from '../../../workers/engine/views/reference-view.ts';
import type { LonLat } from '../material/sample/frame.ts';
import { answerPlace } from './answer-place.ts';

export interface Told {
  readonly value: LayerValue;
  readonly state: LayerEvidence['state'];
}

/** What the snapshot in service answers at places, once both read paths have agreed. */
export function answersAt(
  { dataDir, layersDir }: { readonly dataDir: string; readonly layersDir: string },
  key: string,
  places: readonly LonLat[],
): readonly Told[] {
  const all = allAnswers(readCatalogue(layersDir));
  const asked = all.filter(({ answer }) => answer.key === key);
  const snapshot = openSnapshot(requireCurrentSnapshot(dataDir).dir, { rules: rulesOf(all) });
  try {
    const needed = neededFromIndex(all, snapshot);
    const cells = openCells(snapshot, { directory: readDirectory(snapshot), needed });
    return places.map(([lon, lat]) => {
      const at = project({ lat, lon });
      const [index, reference] = [cellView(snapshot, cells, at), referenceView(snapshot, at)].map((view): Told => {
        const { layers, evidence } = answerPlace(view, asked, 10);
        return { value: layers[key]!, state: evidence[key]!.state };
      });
      expect(index, `${key} at ${lat}, ${lon}`).to.deep.equal(reference);
      return index!;
    });
  } finally {
    snapshot.close();
  }
}
