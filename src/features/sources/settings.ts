import { resolve } from 'node:path';
import type { SettingsReader } from '../../core/settings/settings-reader.ts';

export interface SourcesSettings {
  /** File with a sentence of the operator for `/status`; null: none. */
  readonly statusNote: string | null;
}

export function sourcesSettings({ text }: SettingsReader): SourcesSettings {
  const file = text('STATUS_NOTE');
  return { statusNote: file === undefined ? null : resolve(file) };
}
