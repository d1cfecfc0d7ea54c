/** Turns the Markdown of our own documents into HTML: headings, paragraphs, lists, tables, code and links. Whatever else stands in one is a fault of the document. */
import { escapeHtml } from '../core/http/html.ts';

/** Below a heading: its section is left out of what clients read. */
const FOR_OPERATORS = '<!-- for operators -->';

/** @param linkOf where a link leads; null: its words alone stand there. */
type LinkOf = (href: string) => string | null;
type Write = (found: RegExpExecArray, inline: (text: string) => string, ids: Set<string>) => string;

/** The kinds of blocks, each to be found where the one before has ended. */
const BLOCKS: readonly (readonly [RegExp, Write])[] = [
  [/\n|<!--.*?-->\n?/sy, () => ''],
  [/```\w*\n(.*?)\n```(?:\n|$)/sy, ([, code]) => `<pre tabindex="0"><code>${escapeHtml(code!)}</code></pre>`],
  [/(#{1,3}) (.+)(?:\n|$)/y, writeHeading],
  [/(?:\|.*\|(?:\n|$)){2,}/y, ([rows], inline) => writeTable(rows, inline)],
  [/(?:- .+(?:\n|$)(?: {2}.+(?:\n|$))*\n*(?=- )?)+/y, ([items], inline) => writeList('ul', items, inline)],
  [/(?:\d+\. .+(?:\n|$)(?: {3}.+(?:\n|$))*)+/y, ([items], inline) => writeList('ol', items, inline)],
  [/(?![|#>\s]|```|- |\d+\. |<)(?:.+(?:\n|$)(?!#|```|- |\|))+/y, ([text], inline) => `<p>${inline(text.trim())}</p>`],
];

/** @throws Error that quotes what it cannot read. */
export function htmlOfMarkdown(markdown: string, linkOf: LinkOf): string {
  const text = forClients(markdown);
  const ids = new Set<string>();
  const inline = (words: string): string => inlineOf(words, linkOf);
  const html: string[] = [];
  for (let at = 0; at < text.length;) {
    const [found, write] = blockAt(text, at);
    html.push(write(found, inline, ids));
    at += found[0].length;
  }
  return html.filter((one) => one !== '').join('\n');
}

function blockAt(text: string, at: number): readonly [RegExpExecArray, Write] {
  for (const [pattern, write] of BLOCKS) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) return [found, write];
  }
  throw new Error(`this is no block that can be read: ${text.slice(at, at + 80)}`);
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

/** Its id is that which GitHub gives: documents link to it. */
function writeHeading([, marks, text]: RegExpExecArray, inline: (text: string) => string, ids: Set<string>): string {
  const slug = text!
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
  let id = slug;
  for (let n = 1; ids.has(id); n++) id = `${slug}-${n}`;
  ids.add(id);
  const level = marks!.length;
  return `<h${level} id="${id}">${inline(text!)}</h${level}>`;
}

function writeTable(rows: string, inline: (text: string) => string): string {
  const [head, , ...body] = rows
    .trim()
    .split('\n')
    .map((row) =>
      row
        .slice(1, row.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => inline(cell.trim().replaceAll('\\|', '|'))),
    );
  const line = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>`;
  const heads = head!.map((cell) => (cell === '' ? '<td></td>' : `<th scope="col">${cell}</th>`));
  const lines = body.map((cells) => line(cells.map((cell) => `<td>${cell}</td>`)));
  return `<div class="wide" tabindex="0"><table><thead>${line(heads)}</thead>\n<tbody>${lines.join('\n')}</tbody></table></div>`;
}

function writeList(tag: 'ul' | 'ol', text: string, inline: (text: string) => string): string {
  const items = text
    .trim()
    .split(/^(?:- |\d+\. )/m)
    .slice(1);
  const nested = items.find((item) => /^ +(?:- |\d+\. |```|\|)/m.test(item));
  if (nested !== undefined) throw new Error(`a list in a list cannot be read: ${nested.slice(0, 80)}`);
  return `<${tag}>${items.map((item) => `<li>${inline(item.trim().replace(/\n\s*/g, '\n'))}</li>`).join('\n')}</${tag}>`;
}

/** Code, a link, strong and stressed words, and an address. */
const INLINE =
  /(`+)(.+?)\1(?!`)|(?<!!)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]*)\)|\*\*(.+?)\*\*|(?<!\w)_([^_]+)_(?!\w)|<(https:[^>\s]+)>/gs;

function inlineOf(text: string, linkOf: LinkOf): string {
  let [html, at] = ['', 0];
  for (const found of text.matchAll(INLINE)) {
    html += plain(text.slice(at, found.index)) + writeInline(found, linkOf);
    at = found.index + found[0].length;
  }
  return html + plain(text.slice(at));
}

function writeInline(found: RegExpExecArray, linkOf: LinkOf): string {
  const [, , code, words, href, strong, stressed, address] = found;
  if (code !== undefined) return `<code>${escapeHtml(code.trim())}</code>`;
  if (strong !== undefined) return `<strong>${inlineOf(strong, linkOf)}</strong>`;
  if (stressed !== undefined) return `<em>${inlineOf(stressed, linkOf)}</em>`;
  const to = linkOf(href ?? address!);
  const shown = address === undefined ? inlineOf(words!, linkOf) : escapeHtml(address);
  return to === null ? shown : `<a href="${escapeHtml(to)}">${shown}</a>`;
}

/** @throws Error for what looks like markup that is not read. */
function plain(text: string): string {
  if (/\]\(|!\[|<\/?[a-z]|`|\*\*/i.test(text)) throw new Error(`this markup cannot be read: ${text.slice(0, 80)}`);
  return escapeHtml(text);
}
