/** Suggestions for the address field, from the address register. */
import { suggest } from '../shared/api.ts';
import { makeCombobox } from './combobox.ts';
import { byId, input } from '../shared/dom.ts';
import { fill, texts } from '../shared/i18n.ts';
import { say } from '../shared/status.ts';

/** Fewer letters fit too much. */
const LEAST_LETTERS = 2;

/**
 * Completes what is typed into the address field. An address that is taken is looked up; a street or a municipality is put into the field, with the
 * caret where the house number belongs.
 */
export function suggestAddresses(lookUp: (address: string) => void) {
  const field = input('address');
  makeCombobox(field, byId('suggested'), {
    complete: async (text, signal) => {
      const typed = text.trim();
      if (typed.length < LEAST_LETTERS) return [];
      const found = await suggest(typed, { key: input('key').value.trim(), signal });
      return found.map((one) => ({ ...one, note: one.kind === 'address' ? null : texts.kinds[one.kind] }));
    },
    choose: ({ kind, text }) => {
      if (kind === 'address') {
        lookUp(text);
        return;
      }
      field.value = ` ${text}`;
      field.focus();
      field.setSelectionRange(0, 0);
      say(texts[kind === 'street' ? 'addNumber' : 'addStreet']);
    },
    tell: (count) => {
      if (count > 0) say(fill(count === 1 ? texts.suggestedOne : texts.suggestedMany, { count }), { quiet: true });
    },
  });
}
