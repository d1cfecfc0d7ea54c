/** The choice of columns, for a table whose names the page does not know or has understood otherwise than they are meant. */
import { hasPlace, roles, type Role } from './batch-columns.ts';
import { batchTexts } from '../texts/batch.ts';
import { el } from '../shared/dom.ts';
import { fill } from '../shared/i18n.ts';
import { say } from '../shared/status.ts';
import type { Language } from '../shared/session.ts';

export function renderColumns(
  language: Language,
  { name, header, found }: { name: string; header: readonly string[]; found: readonly (Role | null)[] },
  choose: (chosen: (Role | null)[]) => void,
) {
  const texts = batchTexts[language];
  const selects = roles.map((role) => {
    const columns = header.map((column, i) => new Option(column || String(i + 1), String(i), false, found[i] === role));
    return el('select', { 'data-role': role }, new Option(texts.noColumn, ''), ...columns);
  });
  const use = () => {
    const chosen = header.map(() => null) as (Role | null)[];
    selects.forEach(({ value }, i) => {
      if (value !== '') chosen[Number(value)] = roles[i] ?? null;
    });
    if (hasPlace(chosen)) choose(chosen);
    else say(texts.columnsNeeded);
  };
  return [
    el('h3', { id: 'batch-choose', tabIndex: -1 }, fill(texts.chooseColumns, { name })),
    el(
      'div',
      { className: 'batch-columns' },
      ...roles.map((role, i) => el('label', {}, el('span', {}, texts.roles[role]), selects[i] ?? '')),
    ),
    el('button', { type: 'button', id: 'batch-use', className: 'primary', onclick: use }, texts.useColumns),
  ];
}
