import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';
import { hasBrowser, sharedBrowser } from '../../support/drivers/browser.ts';

const CSS = ['shared/style.css', 'answers/answers.css', 'answers/result.css']
  .map((file) => readFileSync(join(projectDir, 'web', file), 'utf8'))
  .join('\n');
const KINDS = ['found hazard', 'found restriction', 'found close', 'found', 'none', 'unknown hazard'];
const LEGEND = ['swatch', 'swatch dashed', 'swatch point', 'swatch reach', 'dot', 'halo', 'hatch'];

const marksIn = (holder: (kind: string) => string): string => KINDS.map(holder).join('');
const CONTENT = `<style>${CSS}</style>
<ul class="rows">${marksIn((kind) => `<li class="row ${kind}"><span class="mark"></span><h4></h4></li>`)}</ul>
<fieldset class="legend" style="--colour: light-dark(#9b2c1f, #f0998b); --width: 3.5px">
${marksIn((kind) => `<label class="switch"><span class="${kind}"><span class="mark"></span></span></label>`)}
<p class="switch">${LEGEND.map((name) => `<span class="${name} sample"></span>`).join('')}</p></fieldset>`;

describe('Marks in forced colours', function () {
  this.timeout(120_000);

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has pixels of its own shape for each kind of finding, also in the legend: ${colorScheme}`, async function () {
      if (!hasBrowser()) this.skip();
      const page = await (await sharedBrowser()).newPage({ forcedColors: 'active', colorScheme });
      await page.setContent(CONTENT);
      const png = (await page.screenshot({ fullPage: true })).toString('base64');
      const shapesOf = (selector: string): Promise<string[]> => page.evaluate(drawnPixels, { png, selector });
      for (const where of ['.rows', '.legend']) {
        const shapes = await shapesOf(`${where} .mark`);
        for (const [i, shape] of shapes.entries()) expect(shape, KINDS[i]).to.include('#');
        expect(new Set(shapes).size, where).to.equal(KINDS.length);
      }
      for (const [i, shape] of (await shapesOf('.sample')).entries()) expect(shape, LEGEND[i]).to.include('#');
      await page.close();
    });
});

/** The pixels of each of these elements in a picture of the page that stand out from its ground, as # and spaces. The ground is black or white. */
async function drawnPixels({ png, selector }: { readonly png: string; readonly selector: string }): Promise<string[]> {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
  context.drawImage(image, 0, 0);
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  return [...document.querySelectorAll(selector)].map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [Math.floor(left + scrollX), Math.floor(top + scrollY)];
    const { data } = context.getImageData(x, y, Math.ceil(right + scrollX) - x, Math.ceil(bottom + scrollY) - y);
    const lightOf = (i: number): number => (data[4 * i]! + data[4 * i + 1]! + data[4 * i + 2]!) / 3;
    const stands = (i: number): boolean => (isDark ? lightOf(i) > 110 : lightOf(i) < 180);
    return Array.from({ length: data.length / 4 }, (_, i) => (stands(i) ? '#' : ' ')).join('');
  });
}
