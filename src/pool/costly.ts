import type { LookupTask } from '../shared/contract/lookup.ts';

/** The two kinds of lookups, which have threads, turns and limits of load of their own. */
export type LoadKind = 'plain' | 'costly';

export type ByKind<Value> = Readonly<Record<LoadKind, Value>>;

/** Says which kind a lookup is: an area, or geometry beside the answer, takes many times as long. */
export function kindOf(task: LookupTask): LoadKind {
  if (task.kind === 'area') return 'costly';
  return task.kind !== 'warm-up' && task.kind !== 'suggest' && task.geometry === 'near' ? 'costly' : 'plain';
}
