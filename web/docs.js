/** Starts Swagger UI on our own document; nothing is fetched from elsewhere. */
const { SwaggerUIBundle } = /** @type {any} */ (globalThis);

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#contract',
  deepLinking: false,
  validatorUrl: null,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
});

// Its dark scheme depends on a class. A printed page stays light.
const dark = matchMedia('screen and (prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

/** Swagger UI gives its list of servers and its parts no names, and leaves out a level of headings. */
function complete() {
  document.getElementById('servers')?.setAttribute('aria-label', 'Server');
  for (const part of document.querySelectorAll(
    '#contract .information-container, #contract .schemes-server-container',
  )) {
    part.setAttribute('role', 'region');
    part.setAttribute('aria-label', part.classList.contains('wrapper') ? 'About' : 'Server and key');
  }
  for (const [heading, level] of [
    ['h3', '2'],
    ['h4', '3'],
  ])
    for (const one of document.querySelectorAll(`#contract ${heading}:not([aria-level])`)) {
      one.setAttribute('role', 'heading');
      one.setAttribute('aria-level', String(level));
    }
}

new MutationObserver(complete).observe(/** @type {Node} */ (document.getElementById('contract')), {
  childList: true,
  subtree: true,
});
