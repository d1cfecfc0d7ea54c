/** What an element can have in it; what is missing, or false, is left out. */
export type Child = Node | string | null | undefined | false | readonly Child[];

type Props = Record<string, unknown>;
type TagIn<Selector> = Selector extends `${infer Tag}.${string}` ? Tag : Selector;

/**
 * An element, with classes as in `p.advice.next`, then properties, attributes (names with a dash, and `role`) and children. Text goes in as text, never as
 * markup.
 */
export function el<Selector extends string>(
  selector: TagIn<Selector> extends keyof HTMLElementTagNameMap ? Selector : never,
  ...given: readonly [Props, ...Child[]] | readonly Child[]
): HTMLElementTagNameMap[TagIn<Selector> & keyof HTMLElementTagNameMap] {
  const [tag = '', ...classes] = selector.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(' ');
  const [props, ...children] = isProps(given[0]) ? given : [{}, ...given];
  for (const [name, value] of Object.entries(props as Props)) {
    if (value === undefined || value === null) continue;
    if (name.includes('-') || name === 'role' || name === 'for') element.setAttribute(name, value as string);
    else Object.assign(element, { [name]: value });
  }
  element.append(...nodesOf(children as Child[]));
  return element as HTMLElementTagNameMap[TagIn<Selector> & keyof HTMLElementTagNameMap];
}

const isProps = (given: unknown): given is Props => Object.getPrototypeOf(given ?? '') === Object.prototype;

const nodesOf = (children: readonly Child[]): (Node | string)[] =>
  children.flatMap((child) => (Array.isArray(child) ? nodesOf(child as Child[]) : ((child || []) as Node | string)));

export const button = (text: string, onclick: () => unknown, props: Record<string, unknown> = {}) =>
  el('button', { type: 'button', onclick, ...props }, text);

/** A link to another site, which does not hear from where it was followed. */
export const linkTo = (href: string, text: string) => el('a', { href, rel: 'noreferrer' }, text);

/** What is seen only: a shape, a colour. */
export const shape = (className: string) => el('span', { className, 'aria-hidden': 'true' });

/** The element with this id. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element #${id}`);
  return element;
}

export function input(id: string): HTMLInputElement {
  const element = byId(id);
  if (!(element instanceof HTMLInputElement)) throw new Error(`#${id} is no input`);
  return element;
}

/** Gives an element of the page its content, in place of what it had. */
export const write = (id: string, ...children: Child[]) => byId(id).replaceChildren(...nodesOf(children));

/** Does nothing where the page has no such element, because a feature is left out. */
export function onClick(id: string, work: (event: MouseEvent) => unknown) {
  document.getElementById(id)?.addEventListener('click', work);
}

/** Gives a file to the browser to save. */
export function save(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  el('a', { href: url, download: name }).click();
  // The browser has its own hold on what it saves, a moment after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Puts an element above another one of the page, where both are there. By their ids. */
export function raise(id: string, above: string) {
  const [one, other] = [document.getElementById(id), document.getElementById(above)];
  if (!one || !other) return;
  if (other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) other.before(one);
}
