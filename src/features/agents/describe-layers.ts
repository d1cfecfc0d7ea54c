/** The catalogue of layers as an agent reads it: all in short, or one in full. */
import { badRequest, cutShort } from '../../messages/problems.ts';
import type { DataSetDescription, LayerDescription, LayersBody } from '../../messages/wire/layers.ts';
import { cut } from '../../words.ts';

/** Returns all layers in short. */
export function describeAllLayers({ layers }: LayersBody, longest: number): object {
  return {
    hint: 'Call list_layers with "layer" for what one of them means, its sources and its licence.',
    layers: Object.fromEntries(layers.map((layer) => [layer.key, cut(inShort(layer), longest)])),
  };
}

/** Returns one layer with its meaning and its data. @throws AppError BAD_REQUEST that lists the keys. */
export function describeOneLayer({ layers }: LayersBody, key: string, longest: number): object {
  const layer = layers.find((candidate) => candidate.key === key);
  if (!layer) {
    const keys = layers.map((candidate) => candidate.key).join(', ');
    throw badRequest(`there is no layer "${cutShort(key)}"; there are: ${keys}`, { param: '/layer' });
  }
  const { title, description, group, kind, further, values, members, bandsM, specialBandsM, radiusM, dataSets } = layer;
  return {
    ...{ key, title, description, group, kind, ...(further ? { further } : {}) },
    ...given({ values, members, bandsM, specialBandsM, radiusM }),
    dataSets: cut(dataSets.map(describeDataSet), longest),
  };
}

function describeDataSet(dataSet: DataSetDescription): object {
  const { id, title, publisher, licence, attribution, state, asOf, sourceUntil, coverage, limits, announced } = dataSet;
  return {
    ...{ id, title, publisher, licence, attribution, state, asOf },
    ...given({ sourceUntil }),
    coverage,
    limits: limits.map(({ en }) => en),
    ...(announced.length === 0 ? {} : { announced: announced.map(({ from, en, url }) => ({ from, change: en, url })) }),
  };
}

function inShort({ title, kind, further, values, members, bandsM, radiusM, dataSets }: LayerDescription): object {
  const notLoaded = dataSets.filter(({ state }) => state === 'not_loaded').map(({ id }) => id);
  const [asOf = null] = dataSets.flatMap((dataSet) => dataSet.asOf ?? []).sort();
  return {
    ...{ title, kind, ...(further ? { further } : {}) },
    ...given({
      values: kind === 'boolean' ? null : values,
      members: members && Object.keys(members),
      ...{ bandsM, radiusM, asOf },
      notLoaded: notLoaded.length > 0 ? notLoaded : null,
    }),
  };
}

/** Leaves out what is null. */
export function given(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
