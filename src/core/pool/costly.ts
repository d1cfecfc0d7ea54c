import type { LookupTask } from '../../messages/lookup.ts';

/** The two kinds of lookups, which have threads, turns and limits of load of their own. */
export type LoadKind = 'plain' | 'costly';

export type ByKind<Value> = Readonly<Record<LoadKind, Value>>;

/** Says which kind a lookup is: an area, geometry beside the answer, or further answers take many times as long. */
export function kindOf(task: LookupTask): LoadKind {
  if (task.kind === 'area') return 'costly';
  if (task.kind === 'warm-up' || task.kind === 'suggest') return 'plain';
  return task.geometry !== undefined || task.further !== undefined ? 'costly' : 'plain';
}
