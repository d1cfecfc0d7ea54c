/** What shows answers. It comes after the form is ready. */
export { drawArea, renderArea } from './area-view.js';
export { drawLookup, renderLookup } from './lookup-view.js';
