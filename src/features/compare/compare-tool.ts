import { Type } from 'typebox';
import type { Tool } from '../../feature.ts';
import { mapOf, nullable } from '../../schema.ts';
import { cut } from '../../words.ts';
import { compareWithNow } from './compare-route.ts';
import { compareRequestSchema } from './wire.ts';

const text = Type.String();
const number = Type.Number();
const anyObject = Type.Unsafe<object>({ type: 'object' });

const howToRead = {
  change:
    'appeared, disappeared, value (another value or feature), known (was not known), unknown (is not known any more)',
  cause: 'address (it is at another point now), definition (of the layer), data',
  vintage: 'the day of this service’s record of the data, not the day from which a law holds',
};

/** A comparison for agents: the layers that have changed. */
export const compareTool: Tool = {
  name: 'compare',
  title: 'Compare a kept answer with now',
  description:
    'Takes the JSON of an answer that was kept (a lookup over HTTP with detail=full, not the answer of a tool) as "before", asks its question again, and returns the layers that have changed, with the cause. Layers that are not listed are the same. For the answer of an area send its "geometry" too. An answer is billed as one lookup.',
  inputSchema: compareRequestSchema,
  output: {
    ...{ before: anyObject, now: anyObject, address: nullable(text), lat: number, lon: number, movedM: number },
    changed: Type.Array(text),
    layers: mapOf(anyObject),
  },
  async run(args, { services, res }) {
    const { layers, ...about } = await compareWithNow(services, res, args, 'the arguments');
    const changed = Object.fromEntries(about.changed.map((key) => [key, layers[key]]));
    return (longest) => ({ ...about, howToRead, layers: cut(changed, longest) });
  },
};
