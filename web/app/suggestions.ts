/** Suggestions for the address field, from the address register. */
import { suggest } from '../shared/api.ts';
import { byId, el, input } from '../shared/dom.ts';
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

type Option = { text: string; note: string | null };
/**
 * `complete`: the options for a text. `choose`: called with the option that somebody takes. `tell`: called with the number of options, for those who
 * listen.
 */
type ComboboxOptions<Choice> = {
  complete: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  choose: (option: Choice) => void;
  tell: (count: number) => void;
};

/** Time without a keystroke after which options are asked for: people who type fast pause about as long between words. */
const PAUSE_MS = 120;

/**
 * Makes a field with an empty list beside it an "editable combobox with list autocomplete" (ARIA Authoring Practices Guide). Focus stays in the field; the arrow keys move the marked option, Enter takes it, Escape closes
 * the list, Tab goes on without taking one. Without a marked option, Enter is the form's.
 */
function makeCombobox<Choice extends Option>(
  field: HTMLInputElement,
  list: HTMLElement,
  { complete, choose, tell }: ComboboxOptions<Choice>,
) {
  let options: readonly Choice[] = [];
  let marked = -1;
  let asked = new AbortController();
  let pause: ReturnType<typeof setTimeout> | undefined;

  const named = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': list.id };
  for (const [name, value] of Object.entries(named)) field.setAttribute(name, value);
  list.setAttribute('role', 'listbox');

  const mark = (at: number) => {
    marked = at;
    [...list.children].forEach((item, i) => {
      item.setAttribute('aria-selected', String(i === at));
    });
    const item = list.children[at];
    if (item) {
      field.setAttribute('aria-activedescendant', item.id);
      item.scrollIntoView({ block: 'nearest' });
    } else {
      field.removeAttribute('aria-activedescendant');
    }
  };
  const show = (found: readonly Choice[]) => {
    options = found;
    list.replaceChildren(...found.map((option, i) => itemOf(list, option, i)));
    list.hidden = found.length === 0;
    field.setAttribute('aria-expanded', String(found.length > 0));
    mark(-1);
  };
  /** Closes the list, and forgets what is asked for. */
  const close = () => {
    clearTimeout(pause);
    asked.abort();
    show([]);
  };
  const ask = async () => {
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    const found = await complete(field.value, signal);
    // An answer to an earlier text is of no use.
    if (signal.aborted) return;
    show(found);
    tell(found.length);
  };
  const take = (option: Choice) => {
    close();
    choose(option);
  };
  const move = (by: number) => {
    const places = options.length + 1;
    // One place is the field itself, with no option marked.
    mark(((marked + 1 + by + places) % places) - 1);
  };

  field.addEventListener('input', () => {
    clearTimeout(pause);
    asked.abort();
    if (field.value.trim() === '') show([]);
    else pause = setTimeout(() => void ask(), PAUSE_MS);
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const { key } = event;
    const option = options[marked];
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (options.length === 0)
        void ask().then(() => {
          if (options.length > 0) mark(key === 'ArrowDown' ? 0 : options.length - 1);
        });
      else move(key === 'ArrowDown' ? 1 : -1);
    } else if (key === 'Enter' && option) {
      event.preventDefault();
      take(option);
    } else if (key === 'Escape' && options.length > 0) {
      event.preventDefault();
      close();
    }
  });
  // The press itself would take the focus from the field.
  list.addEventListener('mousedown', (event) => {
    event.preventDefault();
  });
  list.addEventListener('click', (event) => {
    const item = event.target instanceof Element ? event.target.closest('[role=option]') : null;
    const option = item ? options[[...list.children].indexOf(item)] : undefined;
    if (option) take(option);
  });
  field.addEventListener('blur', close);
  field.form?.addEventListener('submit', close);
}

function itemOf(list: HTMLElement, { text, note }: Option, i: number) {
  return el(
    'li',
    { id: `${list.id}-${i}`, role: 'option', 'aria-selected': 'false' },
    el('span', text),
    note !== null && el('span.option-note', note),
  );
}
