/** An element with properties, attributes (names with a dash, and `role`) and children. Text goes in as text, never as markup. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Record<string, unknown> = {},
  ...children: (Node | string | null | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name.includes('-') || name === 'role' || name === 'for') element.setAttribute(name, value as string);
    else Object.assign(element, { [name]: value });
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

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

/** Puts an element above another one of the page, where both are there. By their ids. */
export function raise(id: string, above: string) {
  const [one, other] = [document.getElementById(id), document.getElementById(above)];
  if (!one || !other) return;
  if (other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) other.before(one);
}
