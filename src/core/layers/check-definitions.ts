import { ownChanges } from '../../catalogue/read/own-definitions.ts';
import { readCatalogue } from '../../catalogue/read/read-definitions.ts';
import { releasedLayers } from '../../project/project.ts';
import { messageOf } from '../../words.ts';
import type { Setting } from '../settings/settings-reader.ts';

/** Says what the operator's definitions change. All of them are checked together with the release's, as a start does. */
export function checkDefinitions(settings: readonly Setting[]): {
  readonly changes: readonly string[];
  readonly faults: readonly string[];
  /** Of all data sets. */
  readonly ids: readonly string[];
} {
  const ownLayersDir = settings.find(({ name }) => name === 'LAYERS_DIR')?.value ?? null;
  const folders = { layersDir: releasedLayers, ownLayersDir };
  try {
    const changes = ownChanges(folders.layersDir, ownLayersDir);
    return { changes, faults: [], ids: readCatalogue(folders).dataSets.map(({ id }) => id) };
  } catch (cause) {
    return { changes: [], faults: [messageOf(cause)], ids: [] };
  }
}
