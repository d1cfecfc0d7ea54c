import { expect } from 'chai';
import { htmlOfMarkdown } from '../../src/build/markdown.ts';

/** All links lead where they say. */
const htmlOf = (markdown: string): string => htmlOfMarkdown(markdown, (href) => href);

describe('Markdown of the documents for clients', () => {
  it('becomes HTML', () => {
    const html = htmlOf(`# A _title_ & more

Words with \`a | b\` and **strong [one](x.md#y)**
on two lines, and <https://land.example/a>.

- one
  goes on
- two

1. first
2. second

| a   | b        |
| --- | -------- |
|     | \`x \\| y\` |

\`\`\`sh
# no heading <b>
\`\`\`
`);
    expect(html).to.equal(`<h1 id="a-_title_--more">A <em>title</em> &amp; more</h1>
<p>Words with <code>a | b</code> and <strong>strong <a href="x.md#y">one</a></strong>
on two lines, and <a href="https://land.example/a">https://land.example/a</a>.</p>
<ul>
<li>one
goes on</li>
<li>two</li>
</ul>
<ol>
<li>first</li>
<li>second</li>
</ol>
<div class="wide" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>
<tbody><tr><td></td><td><code>x | y</code></td></tr></tbody></table></div>
<pre tabindex="0"><code># no heading &lt;b&gt;</code></pre>`);
  });

  it('keeps the words of a link that leads nowhere', () => {
    expect(htmlOfMarkdown('See [`a` here](b.md).', () => null)).to.equal('<p>See <code>a</code> here.</p>');
  });

  it('gives equal headings different ids', () => {
    expect(htmlOf('## Rows\n\n### Rows\n')).to.contain('id="rows"').and.to.contain('id="rows-1"');
  });

  it('leaves the sections for operators out, with what is below them', () => {
    const html = htmlOf(`# A

## B

<!-- for operators -->

b

### Below B

c

\`\`\`
# code
\`\`\`

## D

d
`);
    expect(html).to.equal('<h1 id="a">A</h1>\n<h2 id="d">D</h2>\n<p>d</p>');
  });

  for (const [what, markdown] of Object.entries({
    'an element of HTML': '<b>words</b>',
    'an element among words': 'a <b>word</b>',
    'a program': '<script>alert(1)</script>',
    'a picture': '![words](a.png)',
  }))
    it(`is refused with ${what}`, () => {
      expect(() => htmlOf(markdown)).to.throw(/HTML belongs in no document|a picture is no file/);
    });
});
