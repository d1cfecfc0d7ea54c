/** Turns the Markdown of our own documents into HTML. */
import { Marked, type RendererObject, type Tokens } from 'marked';
import { escapeHtml } from '../core/http/pages.ts';

/** Below a heading: its section is left out of what clients read. */
const FOR_OPERATORS = '<!-- for operators -->';

/** @param linkOf where a link leads; null: its words alone stand there. */
type LinkOf = (href: string) => string | null;

/** @throws Error for a picture, which no page has, and for HTML other than a comment. */
export function htmlOfMarkdown(markdown: string, linkOf: LinkOf): string {
  return new Marked({ renderer: rendererOf(linkOf) }).parse(forClients(markdown), { async: false }).trim();
}

/** Leaves out the sections for operators, each to the next heading of its level or a higher one. */
function forClients(markdown: string): string {
  let [isCode, leftOut] = [false, Infinity];
  const lines = markdown.split('\n');
  const kept = lines.filter((line, i) => {
    if (line.startsWith('```')) isCode = !isCode;
    const level = isCode ? Infinity : (/^#+(?= )/.exec(line)?.[0].length ?? Infinity);
    if (level <= leftOut) leftOut = lines[i + 2] === FOR_OPERATORS ? level : Infinity;
    return leftOut === Infinity;
  });
  return kept.join('\n');
}

function rendererOf(linkOf: LinkOf): RendererObject {
  const ids = new Set<string>();
  return {
    heading({ tokens, text, depth }): string {
      return `<h${depth} id="${idOf(text, ids)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    link({ href, tokens }): string {
      const [to, words] = [linkOf(href), this.parser.parseInline(tokens)];
      return to === null ? words : `<a href="${escapeHtml(to)}">${words}</a>`;
    },
    table({ header, rows }): string {
      const words = ({ tokens }: Tokens.TableCell): string => this.parser.parseInline(tokens);
      const heads = header.map((cell) => (cell.text === '' ? '<td></td>' : `<th scope="col">${words(cell)}</th>`));
      const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${words(cell)}</td>`).join('')}</tr>`);
      return `<div class="wide" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead>\n<tbody>${lines.join('\n')}</tbody></table></div>\n`;
    },
    html({ text }): string {
      if (!/^<!--.*-->\s*$/s.test(text)) throw new Error(`HTML belongs in no document: ${text.slice(0, 80)}`);
      return '';
    },
    image({ href }): string {
      throw new Error(`a picture is no file of the service: ${href}`);
    },
  };
}

/** That which GitHub gives, because documents link to it. */
function idOf(heading: string, ids: Set<string>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
  let id = slug;
  for (let n = 1; ids.has(id); n++) id = `${slug}-${n}`;
  ids.add(id);
  return id;
}
