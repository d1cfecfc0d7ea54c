/** A layer's answer in plain words. */
import { fill, metres, speech, texts, language } from '../shared/i18n.ts';
import { findingAt } from '../../src/features/explain/messages/found.ts';
import {
  furtherMembers,
  nameOf,
  readable,
  soilInWords,
  valueInWords,
} from '../../src/features/explain/messages/speech.ts';
import type { LayerDescription } from '../../src/messages/wire/layers.ts';
import type { LayerEvidence as Evidence } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue as Value } from '../../src/messages/wire/lookup.ts';

export type Layer = LayerDescription;
export type Tone = 'found' | 'none' | 'unknown';
/** `heading`: what was found, as a sentence; otherwise the name of the layer. `main`: the answer without that name. `reason`: why nobody knows. */
type Words = { tone: Tone; heading: string; main: string; note: string | null; reason: string | null };
/** `shownM`: how far the nearest feature on the map is, farther than was searched. */
export type Answer = { layer: Layer; value: Value; evidence: Evidence; shownM: number | null };

/** What is found, for a reader. */
export const nameOfLayer = (layer: Layer) => nameOf(layer, { language });

/** Only the state `absent` reads as "no": what is not known always looks and sounds different. */
export function inWords(answer: Answer): Words {
  const { layer, value, evidence } = answer;
  const { noCoverage, notLoaded, noValue } = texts.findings;
  if (evidence.state === 'no_coverage') return unknown(layer, noCoverage);
  if (evidence.state === 'unavailable')
    return unknown(layer, layer.dataSets[0]?.state === 'loaded' ? noValue : notLoaded);
  if (evidence.state === 'absent' || value === null) return absent(answer);
  const heading = findingAt(layer, { value, distanceM: evidence.distanceM ?? 0 }, speech());
  const isCalled = layer.kind === 'value' || layer.kind === 'object' || value === true;
  const main = isCalled ? nameOfValue(value) : heading;
  return { tone: 'found', heading, main, note: noteOf(value), reason: null };
}

const unknown = (layer: Layer, why: string): Words => ({
  tone: 'unknown',
  heading: nameOfLayer(layer),
  main: texts.words.unknown,
  note: why,
  reason: why,
});

function absent({ layer, evidence, shownM }: Answer): Words {
  const { words } = texts;
  const searchedM = evidence.searchedM ?? 0;
  const isFarther = searchedM > 0 && shownM !== null && shownM > searchedM;
  const none = layer.kind === 'boolean' ? words.no : words.none;
  return {
    tone: 'none',
    heading: nameOfLayer(layer),
    reason: null,
    main: searchedM > 0 ? fill(words.outside, { metres: metres(searchedM) }) : none,
    note: isFarther ? fill(words.nearestShown, { metres: metres(shownM) }) : null,
  };
}

/** The name of what was found, by itself. */
export const nameOfValue = (value: NonNullable<Value>) =>
  value === true ? texts.words.yes : valueInWords(value, speech());

/** What else is known of it. */
function noteOf(value: NonNullable<Value>) {
  const soil = soilInWords(value, speech());
  if (soil !== null) return soil;
  const { members, words } = texts;
  const depthM = typeof value === 'object' ? value['nearestDepthM'] : null;
  if (typeof depthM === 'number') return fill(words.depth, { metres: metres(depthM) });
  const notes = furtherMembers(value)
    .filter(([member]) => !/id$/i.test(member) || /^(siteId|policyId)$/.test(member))
    .map(([member, said]) =>
      fill((members as Record<string, string>)[member] ?? '{value}', { value: readable(String(said)) }),
    );
  return notes.join(' · ') || null;
}
