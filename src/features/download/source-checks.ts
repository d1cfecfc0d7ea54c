import { Refused } from '../../core/outbound/failures.ts';
import type { LayerFacts, SourceCheck } from '../../import/source-fetcher.ts';
import { wordsText } from '../../catalogue/known-words.ts';
import { dayOf } from '../../messages/time.ts';
import { nameOfSource } from './check-report.ts';
import type { CheckedSource } from './check-sources.ts';
import { Empty, Misfit } from './misfit.ts';

/** Tells what a check found to those who watch the sources, without what was not asked. */
export function sourceChecks(checked: readonly CheckedSource[]): readonly SourceCheck[] {
  return checked.filter(({ status }) => status !== 'not asked').map(sourceCheck);
}

function sourceCheck(one: CheckedSource): SourceCheck {
  const { definition, source, part, movedTo } = one;
  const area = part?.role === 'coverage' ? ', area' : '';
  return {
    ...{ dataSet: definition.id, source: part ? part.name + area : nameOfSource(source), movedTo },
    ...{ state: stateOf(one), error: 'error' in one ? one.error : null, editedOn: editedOn(one), layer: factsOf(one) },
  };
}

function stateOf(one: CheckedSource): SourceCheck['state'] {
  if (one.status === 'no answer') return 'silent';
  if (one.status !== 'misfit') return 'answers';
  const { cause } = one;
  if (cause instanceof Misfit) return cause.isGone ? 'gone' : cause.path[0] === 'control' ? 'control' : 'names';
  if (cause instanceof Empty) return 'empty';
  // Other refusals, such as lists that do not agree, say nothing of where the data are.
  return cause instanceof Refused ? 'gone' : 'silent';
}

function editedOn(one: CheckedSource): string | null {
  const ms = one.status === 'layer' ? one.survey.changedMs : Date.parse(lastModified(one) ?? '');
  // A time that is none in the calendar says nothing.
  return ms === null || !(Math.abs(ms) < 8.64e15) ? null : dayOf(ms);
}

function lastModified(one: CheckedSource): string | null {
  return one.status === 'file' ? one.version.lastModified : null;
}

function factsOf(one: CheckedSource): LayerFacts | null {
  if (one.status !== 'layer') return null;
  const { layer, ids, fields, foundBy } = one.survey;
  return {
    ...{ id: Number(/\d+$/.exec(layer.url)?.[0] ?? NaN), name: layer.name, featureCount: ids.length },
    isNamed: foundBy !== 'id' || one.names.length === 0,
    missingFields: [...fields].flatMap(([name, found]) => (found === null ? [name] : [])),
    unknownWords: wordsText(one.inspection.unknownWords),
    list: one.inspection.list,
  };
}
