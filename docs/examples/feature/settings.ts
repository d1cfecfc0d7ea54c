import type { SettingsReader } from '../../../src/core/settings/settings-reader.ts';

export interface NoticeSettings {
  /** A sentence for all who have a key; empty: there is none. */
  readonly text: string;
}

export function noticeSettings({ text }: SettingsReader): NoticeSettings {
  return { text: text('NOTICE', '') };
}
