import { resolve } from 'node:path';
import type { SettingsReader } from '../../core/settings/settings-reader.ts';

export function sourcesSettings({ text }: SettingsReader): {
  /** File with a sentence of the operator for `/status`; null: none. */
  readonly statusNote: string | null;
} {
  const file = text('STATUS_NOTE');
  return { statusNote: file === undefined ? null : resolve(file) };
}
