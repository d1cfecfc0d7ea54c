/**
 * Reads maps of a snapshot that `openWithCells` built, and prints how many bytes each leaves after a collection of young memory. Arguments: the folder, the
 * data sets and the first place as JSON. Needs `--expose-gc`.
 */
import { getHeapSpaceStatistics } from 'node:v8';
import { openBuiltCells, openBuiltOutlines } from '../material/hand-made-snapshot.ts';

const MAPS = 60;

const [, , folder, dataSets, place] = process.argv as [string, string, string, string, string];
const { x, y, radiusM } = JSON.parse(place) as { readonly x: number; readonly y: number; readonly radiusM: number };
const collect = globalThis.gc!;
const needed = JSON.parse(dataSets) as Parameters<typeof openBuiltCells>[1];
const outlines = openBuiltOutlines(openBuiltCells(folder, needed), needed)!;

readMaps();
collect();
const before = usedBytes();
readMaps();
collect({ type: 'minor' });
console.log(Math.round((usedBytes() - before) / MAPS));
process.exit(0);

function readMaps(): void {
  for (let i = 0; i < MAPS; i++) outlines.near({ x: x + i * 100, y, scale: 1 }, radiusM, () => true);
}

/** Without code, which V8 makes at any time. */
function usedBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'new_space' || name === 'old_space')
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}
