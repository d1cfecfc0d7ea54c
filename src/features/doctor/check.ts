import type { Installation } from './installation.ts';

export type State = 'good' | 'warning' | 'fault' | 'not checked';

/** Something that was looked at. */
export interface Finding {
  readonly state: State;
  readonly text: string;
  /** What to type, or the line to write; null where there is nothing to do. */
  readonly remedy: string | null;
}

/** Looks at one side of an installation, and changes nothing. Without a finding it is good. */
export interface Check {
  readonly name: string;
  readonly run: (installation: Installation) => readonly Finding[] | Promise<readonly Finding[]>;
}

export const good = (text: string): Finding => ({ state: 'good', text, remedy: null });
export const warning = (text: string, remedy: string): Finding => ({ state: 'warning', text, remedy });
export const fault = (text: string, remedy: string): Finding => ({ state: 'fault', text, remedy });
export const unchecked = (text: string): Finding => ({ state: 'not checked', text, remedy: null });
