import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { Type, type TProperties } from 'typebox';
import type { ComposeAnswer, RunTool, Tool, ToolCall } from '../../feature.ts';
import { partKey } from '../../core/parts/parts.ts';
import { attributionsOf } from '../../core/layers/describe-licences.ts';
import type { AskedTask, LookupDetail } from '../../messages/lookup.ts';
import { splitLayers, withLayers } from '../../core/lookup/further-keys.ts';
import { badRequest } from '../../messages/problems.ts';
import { closed, mapOf, oneOf } from '../../schema.ts';
import { type FullLookupBody, layerStates, type LayerState } from '../../messages/wire/full-lookup.ts';
import { lookupRequestSchema } from '../../messages/wire/lookup.ts';
import { pointRequestSchema } from '../../messages/wire/point-lookup.ts';
import { findingsWithin, type Explained } from '../../messages/wire/explained.ts';
import { splitMembers, toldMembers, withMemberArguments, type AnswerMember } from '../../core/http/answer-members.ts';
import { addressOf, pointOf } from '../../core/http/lookup-request.ts';
import { runLookup, tracedBy } from '../../core/http/lookup-route.ts';
import { validatorOf } from '../../project/validators.ts';
import { describeAllLayers, describeOneLayer } from './describe-layers.ts';
import { describeLookup } from './describe-lookup.ts';

const number = Type.Number();
const text = Type.String();
const anyObject = Type.Unsafe<object>({ type: 'object' });

/** The schema of an answer with these members. It is short, because every agent that lists the tools reads it, and open: answers may gain members. */
const answerWith = (members: TProperties) =>
  Type.Object({
    ...members,
    attribution: Type.Object({
      show: Type.Optional(Type.Array(text)),
      licences: text,
    }),
  });

const layer = Type.Object({
  state: oneOf(Object.keys(layerStates) as LayerState[]),
  value: Type.Optional(Type.Union([Type.Boolean(), text, anyObject])),
  distanceM: Type.Optional(number),
  searchedM: Type.Optional(number),
  boundaryDistanceM: Type.Optional(number),
  nearBoundary: Type.Optional(Type.Boolean()),
  feature: Type.Optional(anyObject),
  others: Type.Optional(number),
  asOf: Type.Optional(text),
});

const lookupOutput = {
  ...{ address: Type.Union([text, Type.Null()]), lat: number, lon: number, position: anyObject },
  warning: Type.Optional(text),
  layers: mapOf(layer),
  explained: Type.Optional(
    mapOf(anyObject, { description: 'What follows from what was found: sentence, law, who, next.' }),
  ),
  explainedNot: Type.Optional(Type.Array(text)),
};

const layersOutput = {
  layers: Type.Optional(mapOf(anyObject, { description: 'All layers in short, by their keys.' })),
  key: Type.Optional(Type.String({ description: 'Of the one layer that was asked for.' })),
  description: Type.Optional(text),
  dataSets: Type.Optional(Type.Array(anyObject)),
};

export const toolsPart = partKey<ReturnType<typeof toolsWith>>('agents');

const NOUN = 'the arguments';

const STATES = 'Only the state absent means "no"; no_coverage and unavailable mean that nobody knows.';

/** What tools say of `uncertaintyM`: they have no `detail`. */
const UNCERTAINTY = 'Largest error of the place, in metres; 0 when absent.';
const IN_DOUBT = 'Give it unless the place was surveyed: nearBoundary says which answers it puts in doubt.';

const layerArguments = closed({
  layer: Type.Optional(Type.String({ maxLength: 100, description: 'Key of one layer, to read all about it.' })),
});
const isLayerArguments = validatorOf<{ layer?: string }>(layerArguments);

/** Returns the tools of `POST /mcp` with those that features bring. Each does what the route of its name does, in the same way. */
export function toolsWith(
  brought: readonly Tool[],
  members: readonly AnswerMember[],
): {
  readonly tools: readonly Tool[];
  /** As `tools/list` shows them. */
  readonly listed: readonly ListedTool[];
} {
  const tools = [...lookupTools, ...brought, listTool];
  return { tools, listed: tools.map((tool) => listed(tool, members)) };
}

function listed(
  { name, title, description: about, inputSchema: own, output, takesMembers }: Tool,
  members: readonly AnswerMember[],
): ListedTool {
  const { uncertaintyM } = own.properties;
  const description = takesMembers ? `${UNCERTAINTY} ${IN_DOUBT}` : UNCERTAINTY;
  const taken = uncertaintyM ? closed({ ...own.properties, uncertaintyM: { ...uncertaintyM, description } }) : own;
  const inputSchema = takesMembers ? withMemberArguments(taken, members) : taken;
  return {
    ...{ name, title, description: about },
    // TypeBox and the package have types of their own for JSON Schema.
    inputSchema: inputSchema as unknown as ListedTool['inputSchema'],
    outputSchema: answerWith(output) as unknown as NonNullable<ListedTool['outputSchema']>,
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

const lookupTools: readonly Tool[] = [
  {
    name: 'lookup_address',
    title: 'Look up an address',
    description: `Returns the land data of an Ontario street address: for every layer (Greenbelt, wetlands, flood hazard, soil, municipality and more) its state, value, distance and date. ${STATES} Tell the person the address in the answer: it is the one that was found. An answer is billed as one lookup.`,
    inputSchema: withLayers(lookupRequestSchema),
    output: lookupOutput,
    takesMembers: true,
    run(args, call) {
      const { rest, asked } = askedBy(args, call);
      return lookUp(call, {
        ...{ kind: 'address', full: true, ...asked },
        ...{ ...tracedBy(call.res), ...addressOf(rest, { noun: NOUN }) },
      });
    },
  },
  {
    name: 'lookup_point',
    title: 'Look up a point',
    description: `Returns the land data at coordinates in Ontario, like lookup_address, and the nearest civic address within 100 m. ${STATES} An answer is billed as one lookup.`,
    inputSchema: withLayers(pointRequestSchema),
    output: lookupOutput,
    takesMembers: true,
    run(args, call) {
      const { rest, asked } = askedBy(args, call);
      return lookUp(call, { kind: 'point', full: true, ...asked, ...pointOf(rest, { noun: NOUN }) });
    },
  },
];

const listTool: Tool = {
  name: 'list_layers',
  title: 'List the layers',
  description:
    'Lists the layers with their keys, values, bands in metres and dates. With "layer", returns what one layer means, its sources and its licence. Free.',
  inputSchema: layerArguments,
  output: layersOutput,
  isFree: true,
  run: listLayers,
};

/** What is asked besides the place, and the arguments without it. @throws AppError BAD_REQUEST. */
function askedBy(
  args: unknown,
  { services }: ToolCall,
): { readonly rest: unknown; readonly asked: Pick<LookupDetail, 'further' | 'members'> } {
  const { rest: own, asked } = splitMembers(args, services);
  const { rest, further } = splitLayers(own, services.furtherKeys);
  return { rest, asked: { ...further, ...asked } };
}

async function lookUp({ services, res }: ToolCall, task: AskedTask): Promise<ComposeAnswer> {
  const body = JSON.parse(await runLookup(services, res, task)) as FullLookupBody & { readonly explained?: Explained };
  return (longest) => ({
    ...describeLookup(body, longest),
    ...findingsWithin(body, longest),
    ...toldMembers(body, services, longest),
  });
}

function listLayers(args: unknown, call: ToolCall): ComposeAnswer {
  if (!isLayerArguments(args)) throw badRequest('the only argument is "layer", the key of one layer');
  const { layer } = args;
  const layers = call.services.documents.layers();
  return (longest) =>
    layer === undefined ? describeAllLayers(layers, longest) : describeOneLayer(layers, layer, longest);
}

/** Runs a tool, and returns its answer with the statements that licences require, as large as an answer may be. @throws AppError. */
export async function answerOf(run: RunTool, call: ToolCall): Promise<ToolAnswer> {
  const compose = await run();
  return fittingAnswer((longest) => ({ ...compose(longest), attribution: attributionFor(call, longest) }));
}

/** Returns the statements that the licences require, and where they are listed with the data that each is about. */
function attributionFor({ services, res: { req } }: ToolCall, longest: number): object {
  const licences = `${req.protocol}://${req.get('host') ?? ''}/licences`;
  const show = attributionsOf(services.documents.licences());
  // In the shortest answer the link stands for the statements: a statement must not be cut.
  return { ...(longest > 30 ? { show } : {}), licences };
}

/** Most bytes of a tool's text as it is sent, so that an answer as text, with its envelope, is at most 10 kB. */
const MOST_BYTES = 9500;

/** Lengths in characters to which texts are cut, until an answer is small enough. */
const LENGTHS = [1000, 200, 80, 30];

/** An answer of a tool, which is sent for programs, and as text. */
type ToolAnswer = Readonly<Record<string, unknown>>;

/**
 * Makes an answer with its texts as long as fits, or the shortest when nothing fits. `compose` cuts each text to the length that it is given.
 */
export function fittingAnswer(compose: (longest: number) => ToolAnswer): ToolAnswer {
  let answer: ToolAnswer = {};
  for (const longest of LENGTHS) {
    answer = compose(longest);
    // The text is sent as a string of JSON, in which each of its quotes takes two bytes.
    if (Buffer.byteLength(JSON.stringify(JSON.stringify(answer))) <= MOST_BYTES) break;
  }
  return answer;
}
