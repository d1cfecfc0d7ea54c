/** What shows answers. It comes after the form is ready. */
export { drawArea, renderArea } from './area-view.ts';
export { drawLookup, renderLookup } from './lookup-view.ts';
