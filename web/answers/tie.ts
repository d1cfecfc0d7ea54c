/** Ties the findings to the map: a row that is pointed at or has the focus stands out on the map, and what is pointed at on the map in its row. */
import { byId } from '../shared/dom.ts';
import type { MapPanel } from '../map/map-panel.ts';

export function tieRowsToMap(panel: MapPanel) {
  const result = byId('result');
  for (const type of ['mouseover', 'focusin']) {
    result.addEventListener(type, ({ target }) => {
      const row = target instanceof Element ? target.closest('.row[data-sets]') : null;
      panel.map?.highlight(row instanceof HTMLElement ? setsOf(row) : null);
    });
  }
  result.addEventListener('mouseleave', () => panel.map?.highlight(null));
  byId('map').addEventListener('over', (event) => {
    const over = (event as CustomEvent<readonly string[]>).detail;
    for (const row of result.querySelectorAll<HTMLElement>('.row[data-sets]'))
      row.classList.toggle(
        'lit',
        setsOf(row).some((set) => over.includes(set)),
      );
  });
}

/** The data sets of what is found and concerns the land. */
export const setsOfFindings = () =>
  new Set(([...byId('findings').querySelectorAll('.row.found')] as HTMLElement[]).flatMap(setsOf));

const setsOf = (row: HTMLElement) => (row.dataset['sets'] ?? '').split(' ');
