import type { Response } from 'express';
import { Type, type TObject } from 'typebox';
import { attributionsOf } from '../../catalogue/describe-licences.ts';
import { MOST_AREA_KM2 } from '../../shared/area-limits.ts';
import type { AskedTask, LookupDetail } from '../../shared/contract/lookup.ts';
import { furtherOf } from '../../shared/further-keys.ts';
import { badRequest } from '../../shared/problems.ts';
import { closed } from '../../shared/schema.ts';
import { areaRequestSchema, type AreaLookupBody } from '../../shared/wire/area-lookup.ts';
import type { FullLookupBody } from '../../shared/wire/full-lookup.ts';
import { lookupRequestSchema } from '../../shared/wire/lookup-request.ts';
import { pointRequestSchema } from '../../shared/wire/point-lookup.ts';
import { suggestQuerySchema, type Suggestion } from '../../shared/wire/suggest.ts';
import { areaOf } from '../../shared/area-request.ts';
import { addressOf, pointOf } from '../lookup-request.ts';
import { runLookup, tracedBy } from '../lookup-route.ts';
import type { Services } from '../services.ts';
import { suggestibleOf } from '../suggest-request.ts';
import { runSuggest } from '../suggest-route.ts';
import { validatorOf } from '../../validators.ts';
import { fittingAnswer, type ToolAnswer } from './answer-size.ts';
import { describeArea } from './describe-area.ts';
import { describeAllLayers, describeOneLayer } from './describe-layers.ts';
import { describeLookup } from './describe-lookup.ts';
import { areaOutput, layersOutput, lookupOutput, suggestOutput } from './output-schemas.ts';

/** The request in which a tool is called. */
export interface ToolCall {
  readonly services: Services;
  readonly res: Response;
}

/** A tool for agents: what they read of it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: TObject;
  /** Describes the answer. */
  readonly outputSchema: TObject;
  /** @throws AppError. */
  readonly run: (args: unknown, call: ToolCall) => ToolAnswer | Promise<ToolAnswer>;
}

const NOUN = 'the arguments';

const STATES = 'Only the state absent means "no"; no_coverage and unavailable mean that nobody knows.';

const layerArguments = closed({
  layer: Type.Optional(Type.String({ maxLength: 100, description: 'Key of one layer, to read all about it.' })),
});
const isLayerArguments = validatorOf<{ layer?: string }>(layerArguments);

/** An argument beside those of a route's body. */
const layersArgument = Type.Optional(
  Type.String({ maxLength: 1000, description: 'Further answers: all, or keys with commas, as list_layers has them.' }),
);

const withLayers = ({ properties }: TObject): TObject => closed({ ...properties, layers: layersArgument });

/** The tools of `POST /mcp`. Each does what the route of its name does, in the same way. */
export const tools: readonly Tool[] = [
  {
    name: 'lookup_address',
    title: 'Look up an address',
    description: `Returns the land data of an Ontario street address: for every layer (Greenbelt, wetlands, flood hazard, soil, municipality and more) its state, value, distance and date. ${STATES} Tell the person the address in the answer: it is the one that was found. An answer is billed as one lookup.`,
    inputSchema: withLayers(lookupRequestSchema),
    outputSchema: lookupOutput,
    run(args, call) {
      const { rest, further } = splitArguments(args, call);
      return lookUp(call, {
        ...{ kind: 'address', full: true, ...further },
        ...{ ...tracedBy(call.res), ...addressOf(rest, { noun: NOUN }) },
      });
    },
  },
  {
    name: 'lookup_point',
    title: 'Look up a point',
    description: `Returns the land data at coordinates in Ontario, like lookup_address, and the nearest civic address within 100 m. ${STATES} An answer is billed as one lookup.`,
    inputSchema: withLayers(pointRequestSchema),
    outputSchema: lookupOutput,
    run(args, call) {
      const { rest, further } = splitArguments(args, call);
      return lookUp(call, { kind: 'point', full: true, ...further, ...pointOf(rest, { noun: NOUN }) });
    },
  },
  {
    name: 'lookup_area',
    title: 'Look up an area',
    description: `Returns how much of a parcel in Ontario each layer covers: shares of the area by value or by band, counts, and distances. Send longitude before latitude, at most ${MOST_AREA_KM2} km². A share of 0 means "no" only where unknownShare is 0. An answer is billed as one lookup.`,
    inputSchema: withLayers(areaRequestSchema),
    outputSchema: areaOutput,
    run: lookUpArea,
  },
  {
    name: 'suggest_address',
    title: 'Complete an address',
    description:
      'Completes the beginning of an address: civic addresses, streets and municipalities of Ontario, the best first. Use it before lookup_address when an address is incomplete or was refused. Free, with an hourly limit of its own.',
    inputSchema: suggestQuerySchema,
    outputSchema: suggestOutput,
    run: suggest,
  },
  {
    name: 'list_layers',
    title: 'List the layers',
    description:
      'Lists the layers with their keys, values, bands in metres and dates. With "layer", returns what one layer means, its sources and its licence. Free.',
    inputSchema: layerArguments,
    outputSchema: layersOutput,
    run: listLayers,
  },
];

/** Takes `layers` out of the arguments of a lookup. @throws AppError BAD_REQUEST that lists the keys. */
function splitArguments(
  args: unknown,
  { services: { furtherKeys } }: ToolCall,
): { readonly rest: unknown; readonly further: Pick<LookupDetail, 'further'> } {
  if (typeof args !== 'object' || args === null || !('layers' in args)) return { rest: args, further: {} };
  const { layers, ...rest } = args;
  if (typeof layers !== 'string') throw badRequest('the argument "layers" must be a text', { param: '/layers' });
  return { rest, further: furtherOf(layers, furtherKeys, '/layers') };
}

async function lookUp(call: ToolCall, task: AskedTask): Promise<ToolAnswer> {
  const body = JSON.parse(await runLookup(call.services, call.res, task)) as FullLookupBody;
  return fittingAnswer((longest) => ({ ...describeLookup(body, longest), attribution: attributionFor(call, longest) }));
}

async function lookUpArea(args: unknown, call: ToolCall): Promise<ToolAnswer> {
  const { rest, further } = splitArguments(args, call);
  const task = { kind: 'area', ...further, ...areaOf(rest, NOUN) } as const;
  const body = JSON.parse(await runLookup(call.services, call.res, task)) as AreaLookupBody;
  return fittingAnswer((longest) => ({ ...describeArea(body, longest), attribution: attributionFor(call, longest) }));
}

async function suggest(args: unknown, call: ToolCall): Promise<ToolAnswer> {
  const answer = await runSuggest(call.services, call.res, suggestibleOf(args));
  const { suggestions } = JSON.parse(answer) as { suggestions: readonly Suggestion[] };
  return fittingAnswer((longest) => ({ suggestions, attribution: attributionFor(call, longest) }));
}

function listLayers(args: unknown, call: ToolCall): ToolAnswer {
  if (!isLayerArguments(args)) throw badRequest('the only argument is "layer", the key of one layer');
  const { layer } = args;
  const layers = call.services.documents.layers();
  return fittingAnswer((longest) => ({
    ...(layer === undefined ? describeAllLayers(layers, longest) : describeOneLayer(layers, layer, longest)),
    attribution: attributionFor(call, longest),
  }));
}

/** Returns the statements that the licences require, and where they are listed with the data that each is about. */
function attributionFor({ services, res: { req } }: ToolCall, longest: number): object {
  const licences = `${req.protocol}://${req.get('host') ?? ''}/licences`;
  const show = attributionsOf(services.documents.licences());
  // In the shortest answer the link stands for the statements: a statement must not be cut.
  return { ...(longest > 30 ? { show } : {}), licences };
}
