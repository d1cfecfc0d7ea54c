import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';
import { hasBrowser, sharedBrowser } from '../../support/drivers/browser.ts';

const CSS = ['shared/style.css', 'answers/answers.css']
  .map((file) => readFileSync(join(projectDir, 'web', file), 'utf8'))
  .join('\n');
const KINDS = ['found hazard', 'found restriction', 'found close', 'found', 'none', 'unknown hazard'];

describe('Marks in forced colours', function () {
  this.timeout(120_000);

  it('has pixels of its own shape for each kind of finding', async function () {
    if (!hasBrowser()) this.skip();
    const page = await (await sharedBrowser()).newPage({ forcedColors: 'active' });
    const marks = KINDS.map((kind) => `<li class="row ${kind}"><span class="mark"></span><h4></h4></li>`);
    await page.setContent(`<style>${CSS}</style><ul class="rows">${marks.join('')}</ul>`);
    const shapes: string[] = [];
    for (const mark of await page.locator('.mark').all()) {
      const png = (await mark.screenshot()).toString('base64');
      shapes.push(await page.evaluate(darkPixels, png));
    }
    await page.close();
    for (const [i, shape] of shapes.entries()) expect(shape, KINDS[i]).to.include('#');
    expect(new Set(shapes).size).to.equal(KINDS.length);
  });
});

/** The dark pixels of a picture, as # and spaces. Forced colours are dark on white here. */
async function darkPixels(png: string) {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context?.drawImage(image, 0, 0);
  const { data = [] } = context?.getImageData(0, 0, image.width, image.height) ?? {};
  return Array.from({ length: data.length / 4 }, (_, i) => ((data[4 * i] ?? 255) < 128 ? '#' : ' ')).join('');
}
