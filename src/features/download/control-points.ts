import type { ControlPoints } from '../../catalogue/definition.ts';
import type { ArcgisOptions } from './arcgis.ts';
import type { ArcgisLayer } from './arcgis-layer.ts';
import { countAt } from './arcgis-query.ts';
import { Misfit } from './misfit.ts';

/**
 * Asks a service at places of which the answer is known. Returns their number.
 * @throws Misfit with each place where it answers otherwise: it is another layer, or has lost its features.
 */
export async function checkControlPoints(
  layer: ArcgisLayer,
  { inside, outside }: ControlPoints,
  options: ArcgisOptions,
): Promise<number> {
  const asked = [...inside.map((at) => ({ at, isInside: true })), ...outside.map((at) => ({ at, isInside: false }))];
  const wrong: string[] = [];
  for (const { at, isInside } of asked) {
    if ((await countAt(layer, at, options)) > 0 === isInside) continue;
    const [lon, lat] = at;
    const what = isInside ? 'finds nothing' : 'finds a feature';
    wrong.push(`${what} at ${lat}, ${lon}, which is known to be ${isInside ? 'inside' : 'outside'}`);
  }
  if (wrong.length === 0) return asked.length;
  throw new Misfit(`${layer.url} ("${layer.name}") ${wrong.join(', and ')}`, ['control']);
}
