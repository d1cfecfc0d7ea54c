/** A lookup's answer as an agent reads it: the state of each layer first, never a bare true, false or null. */
import { layerStates, type FullLookupBody, type LayerEvidence } from '../../messages/wire/full-lookup.ts';
import type { LayerValue } from '../../messages/wire/lookup.ts';
import type { FullPointLookupBody } from '../../messages/wire/point-lookup.ts';
import { cut } from '../../words.ts';
import { given } from './describe-layers.ts';

type FullBody = FullLookupBody | FullPointLookupBody;

/** Stands in every answer, because not every program shows an agent the instructions of a server. */
const howToRead = {
  states: layerStates,
  distanceM: 'metres to the feature that decides, of which "feature" tells; 0 inside it',
  others: 'how many more features are as near as that one and count as it does',
  searchedM:
    'metres around the place that were searched: without a distanceM, the nearest is farther; without searchedM, nothing was searched',
  boundaryDistanceM: 'metres to where the answer would change',
  nearBoundary: 'the error of the position reaches that edge: the answer is in doubt',
  asOf: 'date of the data; of the oldest where several data sets answer',
};

const SAMPLE_WARNING = 'Some of this data is an invented sample. It is not real.';

/** Returns the body of a full answer with its texts cut to `longest` characters. */
export function describeLookup(body: FullBody, longest: number): object {
  const { address, lat, lon, geocode, snapshot } = body;
  return {
    ...{ address, lat, lon },
    position: describePosition(geocode),
    ...(snapshot.sample ? { warning: SAMPLE_WARNING } : {}),
    howToRead,
    layers: Object.fromEntries(
      Object.entries(body.evidence).map(([key, evidence]) => [
        key,
        { ...describeLayer(body.layers[key] ?? null, evidence, longest), ...oldest(body.dataAsOf, evidence) },
      ]),
    ),
  };
}

function describePosition(geocode: FullBody['geocode']): object {
  const { accuracy, uncertaintyM } = geocode;
  if ('addressState' in geocode) {
    const { addressState: state, addressDistanceM: distanceM } = geocode;
    return { accuracy, uncertaintyM, nearestAddress: { state, ...given({ distanceM }) } };
  }
  const differences = geocode.faults.map(({ detail }) => detail);
  return { accuracy, uncertaintyM, ...(differences.length > 0 ? { differsFromRequest: differences } : {}) };
}

/** The state says whether a layer that is true or false is there; such a value would only repeat it. */
function describeLayer(value: LayerValue, evidence: LayerEvidence, longest: number): object {
  const { state, distanceM, searchedM, boundaryDistanceM, nearBoundary, feature = null, others } = evidence;
  return {
    state,
    ...(typeof value === 'boolean' || value === null ? {} : { value: cut(value, longest) }),
    ...given({ distanceM, searchedM, boundaryDistanceM }),
    ...(nearBoundary ? { nearBoundary } : {}),
    ...(feature === null ? {} : { feature: cut(feature, longest) }),
    ...(others === undefined ? {} : { others }),
  };
}

function oldest(dataAsOf: FullBody['dataAsOf'], { dataSets }: LayerEvidence): { readonly asOf?: string } {
  const [asOf] = dataSets.flatMap((id) => dataAsOf[id] ?? []).sort();
  return asOf === undefined ? {} : { asOf };
}
