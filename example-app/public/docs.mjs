/* global document, fetch, matchMedia, MutationObserver, SwaggerUIBundle, URL */

// The page at /docs: Swagger UI, which sends the token of the last login on this page by itself.
const LOGIN = '/v1/login';
const dark = matchMedia('(prefers-color-scheme: dark)');

const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();

// The attributes that screen readers and keyboards need, and that Swagger UI leaves out.
const summaryOf = (element) => element.closest('.opblock').querySelector('.opblock-summary-description').textContent;
const MISSING = {
  '.body-param__text': { 'aria-label': 'Request body' },
  '.examples-select-element': { 'aria-label': 'Example' },
  '.information-container': { role: 'banner' },
  '.opblock-tag': { 'aria-level': '2' },
  h4: { 'aria-level': '3' },
  h5: { 'aria-level': '4' },
  '.responses-table[id]': { 'aria-label': (table) => `Responses: ${summaryOf(table)}` },
  'pre.microlight': { tabindex: '0' },
};
const domNode = document.getElementById('docs');
new MutationObserver(() => {
  for (const [selector, attributes] of Object.entries(MISSING)) {
    for (const [name, value] of Object.entries(attributes)) {
      for (const element of domNode.querySelectorAll(`${selector}:not([${name}])`)) {
        element.setAttribute(name, typeof value === 'function' ? value(element) : value);
      }
    }
  }
}).observe(domNode, { childList: true, subtree: true });

const spec = await (await fetch('/openapi.json')).json();

// Another id for each visit, because a repeated id gets the stored transaction and not a new one.
const { example } = spec.paths['/v1/transactions'].post.requestBody.content['application/json'];
example.merchant_transaction_id = `order-${Date.now()}`;

const ui = SwaggerUIBundle({
  spec,
  domNode,
  docExpansion: 'list',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  syntaxHighlight: { theme: 'obsidian' },
  validatorUrl: null,
  // The token is in the memory of this page alone.
  persistAuthorization: false,
  responseInterceptor(response) {
    if (response.ok && new URL(response.url).pathname === LOGIN) {
      ui.preauthorizeApiKey('merchantToken', JSON.parse(response.text).authorisation.token);
    }
    return response;
  },
});
