/** Ties the findings to the map: a row or a switch that is pointed at or has the focus stands out on the map, and what is pointed at on the map in them. */
import { byId } from '../shared/dom.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { Shown } from '../map/map-style.ts';

export function tieRowsToMap(panel: MapPanel) {
  const result = byId('result');
  for (const type of ['mouseover', 'focusin']) {
    result.addEventListener(type, ({ target }) => {
      const row = target instanceof Element ? target.closest('[data-sets]') : null;
      panel.highlight(row instanceof HTMLElement ? setsOf(row) : null);
    });
  }
  result.addEventListener('mouseleave', () => {
    panel.highlight(null);
  });
  byId('map').addEventListener('over', (event) => {
    const over = (event as CustomEvent<readonly string[]>).detail;
    for (const row of result.querySelectorAll<HTMLElement>('[data-sets]'))
      row.classList.toggle(
        'lit',
        setsOf(row).some((set) => over.includes(set)),
      );
  });
}

/** What the map shows at first: the data sets of the findings, each as its card has it. */
export function shownAtFirst(): Shown {
  const found = [...byId('findings').querySelectorAll<HTMLElement>('.row.found')].reverse();
  const kinds = found.flatMap((row) => {
    const { classList } = row;
    const kind = classList.contains('hazard') ? 'hazard' : classList.contains('close') ? 'close' : 'other';
    return setsOf(row).map((set) => [set, kind] as const);
  });
  return { on: new Set(kinds.map(([set]) => set)), kinds: new Map(kinds) };
}

/** The classes of the first row of each data set, which make its mark. */
export function marksOfRows(): ReadonlyMap<string, string> {
  const rows = [...byId('result').querySelectorAll<HTMLElement>('.row[data-sets]')].reverse();
  const marks = ['found', 'none', 'unknown', 'hazard', 'restriction', 'close'];
  return new Map(
    rows.flatMap((row) =>
      setsOf(row).map((set) => [set, marks.filter((name) => row.classList.contains(name)).join(' ')] as const),
    ),
  );
}

const setsOf = (row: HTMLElement) => (row.dataset['sets'] ?? '').split(' ');
