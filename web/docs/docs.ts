/**
 * Starts Swagger UI on our own document when its place comes into sight: it is larger than all else here, and whoever reads how to begin needs none of it.
 * Nothing is fetched from elsewhere.
 */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;

const contract = document.getElementById('contract') as HTMLElement;

/** What is read of the contract: the bodies that it shows as examples. */
type Contract = {
  paths: Record<string, { post?: { requestBody?: { content: Record<string, { example?: object }> } } }>;
};

/** The contract, with an address that this service answers where it has one of the sample alone: what is tried shall work. */
async function contractHere() {
  const spec = (await (await fetch('/openapi.json')).json()) as Contract;
  const example = JSON.parse(contract.dataset['request'] ?? '') as object;
  for (const { post } of Object.values(spec.paths)) {
    const json = post?.requestBody?.content['application/json'];
    if (json && Object.keys(json.example ?? {}).join() === 'address') json.example = example;
  }
  return { spec };
}

const start = async () =>
  SwaggerUIBundle({
    // It says by itself why there is none.
    ...(await contractHere().catch(() => ({ url: '/openapi.json' }))),
    dom_id: '#contract',
    deepLinking: false,
    validatorUrl: null,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    persistAuthorization: false,
  });

new IntersectionObserver((entries, observer) => {
  if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
  observer.disconnect();
  const { styles: href, program: src } = contract.dataset;
  const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
  document.querySelector('link[rel=stylesheet]')?.before(sheet);
  document.head.append(Object.assign(document.createElement('script'), { src, onload: start }));
}).observe(contract);

// Its dark scheme depends on a class. A printed page stays light.
const dark = matchMedia('screen and (prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

/** What Swagger UI leaves without a name, by selector. */
const names: Record<string, (one: Element) => string> = {
  '#servers': () => 'Server',
  '.information-container': () => 'About',
  '.schemes-server-container': () => 'Server and key',
  'textarea.body-param__text': () => 'Request body',
  'tr[data-param-name] select': (one) => one.closest('tr')?.dataset['paramName'] ?? 'Parameter',
  'select.examples-select-element': () => 'Example',
  'input[type=file]': () => 'File',
};

/** Levels of its headings, of which it leaves one out. */
const levels = { h3: '2', h4: '3', h5: '4' };

/** Completes what Swagger UI has drawn for those who do not see it. */
function complete() {
  // The main part is the first until there is the contract's own.
  if (contract.querySelector('main')) document.querySelector('.door')?.setAttribute('role', 'banner');
  for (const [selector, nameOf] of Object.entries(names))
    for (const one of contract.querySelectorAll(selector)) one.setAttribute('aria-label', nameOf(one));
  for (const part of contract.querySelectorAll('.information-container, .schemes-server-container'))
    part.setAttribute('role', 'region');
  // Several regions without a name are none.
  for (const table of contract.querySelectorAll('table[role=region]')) table.removeAttribute('role');
  for (const scrolled of contract.querySelectorAll('pre.microlight')) scrolled.setAttribute('tabindex', '0');
  for (const [heading, level] of Object.entries(levels))
    for (const one of contract.querySelectorAll(`${heading}:not([aria-level])`)) {
      one.setAttribute('role', 'heading');
      one.setAttribute('aria-level', level);
    }
}

new MutationObserver(complete).observe(contract, { childList: true, subtree: true });
