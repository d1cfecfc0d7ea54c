import type { LookupTask } from '../shared/contract/lookup.ts';

/** Says whether a lookup belongs to the threads for costly work: an area, or geometry beside the answer, takes many times as long. */
export function isCostly(task: LookupTask): boolean {
  if (task.kind === 'area') return true;
  return task.kind !== 'warm-up' && task.kind !== 'suggest' && task.geometry === 'near';
}
