import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Suggestion } from '../shared/wire/suggest.ts';

type Snapshots = Pick<SnapshotService, 'lookup' | 'manifest'>;

/** Of the bundled sample: one for each outcome worth seeing. */
const OF_SAMPLE = [
  '31 Main St E, Sampleton, ON',
  '4 Wharf Lane, Maple Sample, ON',
  '13 Marsh Rd, Fiddlehead Corners, ON',
  '14 rue Principale, Petit-Échantillon, ON',
];

const CITY_HALLS = [
  '100 Queen St W, Toronto, ON',
  '110 Laurier Ave W, Ottawa, ON',
  '216 Ontario St, Kingston, ON',
  '71 Main St W, Hamilton, ON',
  '300 Dufferin Ave, London, ON',
];

/** Where the register has none of them, what it completes these to. */
const BEGINNINGS = ['1', '10', '100', '1 Main St', '10 King St'];

const MOST = 3;

/**
 * Returns a function that gives the addresses that the page offers: only such as the register of the snapshot in service has. They are looked up
 * once for each snapshot; until they are there, none is offered.
 */
export function addressesToTry(snapshots: Snapshots): () => readonly string[] {
  const found = new Map<string, readonly string[]>();
  const current = (): readonly string[] => {
    const { id, gazetteer } = snapshots.manifest;
    if (gazetteer === null) return CITY_HALLS.slice(0, MOST);
    if (gazetteer.sample) return OF_SAMPLE;
    const known = found.get(id);
    if (known) return known;
    found.clear();
    found.set(id, []);
    void inRegister(snapshots).then((addresses) => found.set(id, addresses));
    return [];
  };
  current();
  return current;
}

/** Never fails: the page is complete without examples. */
async function inRegister(snapshots: Snapshots): Promise<readonly string[]> {
  const found: string[] = [];
  for (const address of CITY_HALLS) if (found.length < MOST && (await isFound(snapshots, address))) found.push(address);
  for (const beginning of BEGINNINGS) if (found.length < MOST) found.push(...(await completed(snapshots, beginning)));
  return found.slice(0, MOST);
}

function isFound(snapshots: Snapshots, address: string): Promise<boolean> {
  return snapshots.lookup({ kind: 'address', address, full: false }).then(
    () => true,
    () => false,
  );
}

async function completed(snapshots: Snapshots, text: string): Promise<readonly string[]> {
  try {
    const { json } = await snapshots.lookup({ kind: 'suggest', text, limit: MOST });
    const { suggestions } = JSON.parse(json) as { readonly suggestions: readonly Suggestion[] };
    return suggestions.filter(({ kind }) => kind === 'address').map((suggestion) => suggestion.text);
  } catch {
    return [];
  }
}
