/** The choice of columns, for a table whose names the page does not know or has understood otherwise than they are meant. */
import { hasPlace, roles } from './batch-columns.js';
import { batchTexts } from '../texts/batch-words.js';
import { el } from '../shared/dom.js';
import { fill } from '../shared/i18n.js';
import { say } from '../shared/status.js';

/**
 * @typedef {import('./batch-columns.js').Role} Role
 * @typedef {import('../shared/session.js').Language} Language
 */

/**
 * @param {Language} language
 * @param {{ name: string, header: readonly string[], found: readonly (Role | null)[] }} table
 * @param {(chosen: (Role | null)[]) => void} choose
 */
export function renderColumns(language, { name, header, found }, choose) {
  const texts = batchTexts(language);
  const selects = roles.map((role) => {
    const columns = header.map((column, i) => new Option(column || String(i + 1), String(i), false, found[i] === role));
    return el('select', { 'data-role': role }, new Option(texts.noColumn, ''), ...columns);
  });
  const use = () => {
    const chosen = /** @type {(Role | null)[]} */ (header.map(() => null));
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
