/* global document, fetch, matchMedia, SwaggerUIBundle, URL */

// The page at /docs: Swagger UI, which sends the token of the last login on this page by itself.
const LOGIN = '/v1/login';
const dark = matchMedia('(prefers-color-scheme: dark)');

const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();

const spec = await (await fetch('/openapi.json')).json();

// Another id for each visit, because a repeated id gets the stored transaction and not a new one.
const { example } = spec.paths['/v1/transactions'].post.requestBody.content['application/json'];
example.merchant_transaction_id = `order-${Date.now()}`;

const ui = SwaggerUIBundle({
  spec,
  domNode: document.getElementById('docs'),
  docExpansion: 'list',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
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
