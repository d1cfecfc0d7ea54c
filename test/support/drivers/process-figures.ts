import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessFigures {
  /** Resident memory. */
  readonly rssMb: number;
  readonly descriptors: number;
  readonly threads: number;
}

/** What Linux knows about a running process. */
export function processFigures(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const number = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1]);
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  return { rssMb: number('VmRSS') / 1024, descriptors, threads: number('Threads') };
}
