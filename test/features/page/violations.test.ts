/** The look for violations of accessibility finds what is planted. */
import { expect } from 'chai';
import { hasBrowser, sharedBrowser } from '../../support/drivers/browser.ts';
import { violationsOf } from './visits.ts';

const CONTENT = `<!doctype html><html lang="en"><title>Land</title>
<style>
  :root { color-scheme: light dark }
  body { background: light-dark(#fff, #111); color: light-dark(#111, #fff) }
  div { height: 3em }
  .dim { color: light-dark(#111, #333) }
  .pale { background: light-dark(#fff, #ddd) }
  .lifted { margin-top: -2.5em }
  .moved { position: absolute; margin: 0 }
  @media (prefers-color-scheme: dark) { .veiled { opacity: 0.3 } }
</style>
<main><h1>Land</h1><p>Text</p><p style="background: light-dark(#fff, #000)">Text</p></main></html>`;

/** What is wrong in the light, by its rule. */
const FAULTS = {
  'aria-roles': '<p role="heading2">a role</p>',
  'button-name': '<button></button>',
  'color-contrast': '<p style="color: #999; background: #fff">faint</p>',
  'heading-order': '<h4>Skips</h4>',
  'image-alt': '<img src="data:,">',
  label: '<input>',
  list: '<ul><b>no item</b></ul>',
};

/** What is wrong in the dark alone, each with letters and a ground that are good elsewhere. */
const FAULTS_IN_THE_DARK = {
  letters: '<p class="dim">letters</p>',
  ground: '<div class="pale"><p>ground</p></div>',
  veil: '<div class="veiled"><p style="background: light-dark(#fff, #000)">veil</p></div>',
  neighbour: '<div class="pale"></div><p class="lifted">neighbour</p>',
  above: '<div class="pale"><p class="moved">above</p></div>',
};

describe('The look for violations of accessibility', function () {
  this.timeout(240_000);

  it('finds each kind of fault, also on a page whose texts were good before', async function () {
    if (!hasBrowser()) this.skip();
    const page = await (await sharedBrowser()).newPage();
    await page.setContent(CONTENT);
    expect(await violationsOf(page)).to.deep.equal([]);
    const add = (html: string): Promise<void> =>
      page.locator('main').evaluate((main, added) => {
        main.insertAdjacentHTML('beforeend', added);
      }, html);
    await add(Object.values(FAULTS_IN_THE_DARK).join(''));
    const [dark, ...others] = await violationsOf(page);
    expect(others).to.deep.equal([]);
    expect(dark).to.match(/^in the dark: color-contrast: /);
    for (const words of Object.keys(FAULTS_IN_THE_DARK)) expect(dark).to.contain(`>${words}<`);
    await add(Object.values(FAULTS).join(''));
    const rules = (await violationsOf(page)).map((words) => words.slice(0, words.indexOf(': <')));
    expect(rules).to.deep.equal([...Object.keys(FAULTS), 'in the dark: color-contrast']);
    await page.close();
  });
});
