import { partOf, type ServedFeature, type RunTool, type Tool, type ToolCall } from '../../feature.ts';
import { compareRoute, compareWithNow, markOf } from './compare-route.ts';
import { openVintages, vintagesPart, vintagesRoute } from './vintages.ts';
import { Type } from 'typebox';
import { closed, mapOf } from '../../schema.ts';
import { cut } from '../../words.ts';
import { askedAgainBy } from './asked-again.ts';

const anyObject = Type.Unsafe<object>({ type: 'object' });

const howToRead = {
  change:
    'appeared, disappeared, value (another value or feature), known (was not known), unknown (is not known any more)',
  cause: 'address (it is at another point now), definition (of the layer), data',
  vintage: 'the day of this service’s record of the data, not the day from which a law holds',
};

/** A comparison for agents: the layers that have changed. */
const compareTool: Tool = {
  name: 'compare',
  title: 'Compare a kept answer with now',
  description:
    'Asks the question of a kept answer again, and returns the layers that have changed, with the cause; others are the same. "before": the JSON of a lookup over HTTP with detail=full, not the answer of a tool. An answer is billed as one lookup.',
  // Short, because every agent reads it; the route says the rest.
  inputSchema: closed({ before: anyObject, geometry: Type.Optional(anyObject) }),
  output: { movedM: Type.Number(), changed: Type.Array(Type.String()), layers: mapOf(anyObject) },
  run: (args, call) => prepareComparison(args, call)(),
  prepare: prepareComparison,
};

function prepareComparison(args: unknown, { services, res }: ToolCall): RunTool {
  const asked = askedAgainBy(args, services, 'the arguments');
  const besides = markOf(res, () => args);
  return async () => {
    const { layers, ...about } = await compareWithNow(services, res, asked, besides);
    const changed = Object.fromEntries(about.changed.map((key) => [key, layers[key]]));
    return (longest) => ({ ...about, howToRead, layers: cut(changed, longest) });
  };
}

/** Answers that clients kept, compared with those of now. */
export const compare: ServedFeature = {
  guides: ['watching'],
  routes: [vintagesRoute, compareRoute],
  tools: [compareTool],
  part: partOf(vintagesPart, openVintages),
};
