/** Files that are dropped on the page or chosen, and parcels that are pasted: each goes where its content belongs. It loads when somebody has one. */
import { endingOf, fileIn, type Found, type Kind } from './dropped-files.ts';
import { takeParcels } from './parcels.ts';
import { has } from '../shared/api.ts';
import { byId } from '../shared/dom.ts';
import { MOST_BYTES } from '../shared/geojson-input.ts';
import { fill, language, number } from '../shared/i18n.ts';
import { say } from '../shared/status.ts';
import { fileTexts } from '../texts/files.ts';
import type { AreaGeometry } from '../shared/area.ts';
import type { MapPanel } from '../map/map-panel.ts';

/** `begin`: a file is there. `takePlaces`, `openAnswer`: null where the service lacks the feature. */
type FilesParts = {
  panel: MapPanel;
  ask: (geometry: AreaGeometry) => void;
  takePlaces: ((file: File) => void) | null;
  openAnswer: ((file: File) => void) | null;
  begin: () => void;
  unreachable: () => void;
};

export function makeFiles({ panel, ask, takePlaces, openAnswer, begin, unreachable }: FilesParts) {
  const parcels = has('areas') ? takeParcels({ panel, ask, askEach: takePlaces }) : null;
  const takeKml = async (file: File) => {
    const program = await import('./kml.ts').catch(() => null);
    if (program === null) {
      unreachable();
      return;
    }
    const read = await program.readKml(file).catch(() => ({ kind: 'notXml' as const }));
    if ('kind' in read) refuse({ file, ...read });
    else await parcels?.readText(file.name, read.text, read.leftOut);
  };
  const ofParcels = parcels && { parcel: parcels.readFile, kml: takeKml, zip: takeKml };
  const takers: Partial<Record<Kind, ((file: File) => unknown) | null>> = {
    ...ofParcels,
    ...{ places: takePlaces, answer: openAnswer },
  };
  return {
    parcels,
    take: async (files: readonly File[]) => {
      const found = await fileIn(files);
      if (!found) return;
      begin();
      const taker = takers[found.kind];
      if (taker) await taker(found.file);
      else refuse(found);
    },
  };
}

/** `format`: of a map. */
function refuse({ file: { name, size }, kind, format = endingOf(name).toUpperCase() }: Found) {
  const { files, fileFaults } = fileTexts[language];
  const { only, formats, ...known } = files;
  const takesBoth = has('areas') && has('batches');
  const own: Partial<Record<Kind, string>> = { ...(takesBoth ? known : {}), ...fileFaults };
  const values = {
    ...{ name, format, size: number(size / 1e6), most: number(MOST_BYTES / 1e6) },
    formats: formats[has('areas') ? 'areas' : has('batches') ? 'batches' : 'compare'],
  };
  say(fill(own[kind] ?? only, values));
  byId('status').scrollIntoView({ block: 'nearest' });
}
