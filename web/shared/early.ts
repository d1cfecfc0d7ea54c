/**
 * Runs as soon as the form is there; on a slow network, the page's program comes seconds later. Puts the key that is kept into its field, and keeps
 * what is pressed until the program says that it is ready. No module: modules run only after the whole page.
 */

const key = document.getElementById('key') as HTMLInputElement;
let kept = '';
try {
  // As `readKey` of session.ts.
  kept = sessionStorage.getItem('land-lookup-key') || localStorage.getItem('land-lookup-key') || '';
} catch {
  // A browser that refuses storage has none.
}
key.value ||= kept;
key.form?.classList.toggle('keyed', kept !== '' && key.value === kept);

type Pressed = HTMLFormElement | HTMLButtonElement | null;
/** What was pressed last. */
let pressed = null as Pressed;
const press = (element: Pressed) => {
  pressed = element;
  key.form?.setAttribute('aria-busy', String(element === key.form));
};
const note = (event: Event) => {
  const { target } = event;
  if (event.type === 'submit') {
    event.preventDefault();
    press(target as HTMLFormElement);
  } else if (event.type === 'click') {
    const button = target instanceof Element ? target.closest('button') : null;
    if (button?.type === 'button') press(button);
  } else {
    // Whoever goes on typing asks for something else, and will press again.
    press(null);
  }
};
const types = ['submit', 'click', 'input'];
for (const type of types) document.addEventListener(type, note, true);
addEventListener(
  'ready',
  () => {
    for (const type of types) document.removeEventListener(type, note, true);
    const again = pressed;
    press(null);
    if (again instanceof HTMLFormElement) again.requestSubmit();
    else again?.click();
  },
  { once: true },
);
