/* global AbortSignal, document, fetch, getSelection, location, navigator, scrollBy */
// The page at /: sends the requests of the five steps, and shows each request as code and each answer.

// The address in the page has the version of the file.
const { languages } = await import(document.querySelector('link[rel=modulepreload]').href);

const texts = document.querySelector('main').dataset;
const form = document.querySelector('form');
const { account, email, password } = form.elements;
const LANGUAGES = Object.keys(languages);
const REFUSED_TOKEN = 'not-a-valid-token';

/** The login and the transaction. They are in the memory of this page alone. */
const session = { order: newOrder() };
let language = LANGUAGES[0];
let isSending = false;

function newOrder() {
  return `order-${Date.now()}`;
}

function keepLogin({ authorisation, marchand }) {
  Object.assign(session, { token: authorisation.token, referencl: marchand.referencl });
}

/** The requests of the steps. Only the first one has no token. */
const requests = {
  login: () => ({ method: 'POST', path: '/v1/login', body: { email: email.value, password: password.value } }),
  create: () => ({
    method: 'POST',
    path: '/v1/transactions',
    token: session.token ?? '',
    body: {
      refercence_cl: session.referencl ?? texts.yourReference,
      merchant_transaction_id: session.order,
      amount: 5000,
      currency: 'XOF',
    },
  }),
  repeat: () => requests.create(),
  read: () => ({ method: 'GET', path: `/v1/transactions/${session.id ?? 'ID'}`, token: session.token ?? '' }),
  expire: () => ({ ...requests.read(), token: REFUSED_TOKEN }),
};

/** Runs a step. `send` returns the body of the answer, which has its status as `code`, or `undefined` without one. */
const actions = {
  async login(send) {
    const login = requests.login();
    const answer = await send(login);
    if (!answer?.success) return;
    keepLogin(answer);
    Object.assign(session, { login, order: newOrder(), id: undefined });
  },
  async create(send) {
    if (session.id) Object.assign(session, { order: newOrder(), id: undefined });
    const answer = await send(requests.create());
    session.id = answer?.transaction?.id;
  },
  repeat: (send) => send(requests.repeat()),
  read: (send) => send(requests.read()),
  async expire(send) {
    const refusal = await send(requests.expire());
    if (refusal?.code !== 401) return;
    const answer = await send(session.login);
    if (!answer?.success) return;
    keepLogin(answer);
    await send(requests.read());
  },
};

/** The steps by their name, with the elements that each one shows. */
const steps = Object.fromEntries(Object.keys(actions).map((name) => [name, createStep(document.getElementById(name))]));

function createStep(section) {
  section.append(document.getElementById('request').content.cloneNode(true));
  const [tablist, panel, answers] = ['[role=tablist]', '[role=tabpanel]', '.answers'].map((each) =>
    section.querySelector(each),
  );
  panel.id = `${section.id}-code`;
  const tabs = LANGUAGES.map((name) => createTab(name, panel.id));
  tablist.append(...tabs);
  tablist.addEventListener('keydown', (event) => moveInTabs(event, tabs));
  const [code, copied] = [panel.querySelector('code'), section.querySelector('.code [role=status]')];
  section.querySelector('.copy').addEventListener('click', () => copy(code, copied));
  return { button: section.querySelector('.send'), tabs, panel, code, copied, answers };
}

function createTab(name, panelId) {
  const tab = document.createElement('button');
  Object.assign(tab, { type: 'button', role: 'tab', id: `${panelId}-${name}`, textContent: name });
  tab.setAttribute('aria-controls', panelId);
  tab.addEventListener('click', () => choose(tab));
  return tab;
}

function moveInTabs(event, tabs) {
  const index = tabs.indexOf(event.target);
  const targets = { ArrowLeft: index - 1, ArrowRight: (index + 1) % tabs.length, Home: 0, End: -1 };
  if (!(event.key in targets)) return;
  event.preventDefault();
  const tab = tabs.at(targets[event.key]);
  tab.focus();
  choose(tab);
}

/** Chooses the language of all steps, and keeps this tab where it is in the window. */
function choose(tab) {
  const { top } = tab.getBoundingClientRect();
  language = tab.textContent;
  render();
  scrollBy(0, tab.getBoundingClientRect().top - top);
}

async function copy(code, copied) {
  copied.textContent = '';
  try {
    await navigator.clipboard.writeText(code.textContent);
    copied.textContent = texts.copied;
  } catch {
    // Without HTTPS, a browser has no clipboard for a page.
    getSelection().selectAllChildren(code);
    copied.textContent = document.execCommand('copy') ? texts.copied : texts.selected;
  }
}

/** Shows the code of each request, and enables the steps that can be taken. */
function render() {
  for (const [name, { button, tabs, panel, code, copied }] of Object.entries(steps)) {
    code.textContent = languages[language](shownRequest(requests[name]()));
    copied.textContent = '';
    for (const tab of tabs) {
      const isChosen = tab.textContent === language;
      tab.setAttribute('aria-selected', isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen) panel.setAttribute('aria-labelledby', tab.id);
    }
    button.disabled = name === 'create' ? !session.token : name !== 'login' && !session.id;
  }
}

/** Returns the request for the code. The code shows no token that is accepted, and only the passwords of demo accounts. */
function shownRequest({ path, token, body }) {
  const isDemo = [...account.options].some(
    (each) => each.value === email.value && each.dataset.password === password.value,
  );
  return {
    url: location.origin + path,
    guarded: token !== undefined,
    ...(token === REFUSED_TOKEN && { token }),
    ...(body && { body: 'password' in body && !isDemo ? { ...body, password: texts.yourPassword } : body }),
  };
}

/** Sends a request and shows its answer. Returns its body, if that is JSON. */
async function exchange(answers, { method, path, token, body }) {
  const [head, output] = [document.createElement('p'), document.createElement('pre')];
  head.setAttribute('role', 'status');
  answers.append(head);
  // A live region is announced when its text changes after it was added.
  head.textContent = `${method} ${path} ${texts.sending}`;
  try {
    const answer = await fetch(path, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    const json = parse(text);
    const [status, id] = [document.createElement('strong'), document.createElement('small')];
    status.textContent = `${answer.status} ${answer.statusText}`;
    status.className = answer.ok ? 'accepted' : 'refused';
    id.textContent = `X-Request-Id: ${answer.headers.get('X-Request-Id') ?? '-'}`;
    head.replaceChildren(`${method} ${path} `, status, id);
    output.textContent = json ? JSON.stringify(json, null, 2) : text;
    head.after(output);
    return json;
  } catch {
    head.textContent = texts.lost;
    head.className = 'refused';
    return undefined;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runs a step. A new login or a new transaction makes the answers of the later steps obsolete. */
async function run(name) {
  if (isSending) return;
  isSending = true;
  const names = Object.keys(steps);
  const obsolete = ['login', 'create'].includes(name) ? names.slice(names.indexOf(name)) : [name];
  for (const each of obsolete) steps[each].answers.replaceChildren();
  try {
    await actions[name]((request) => exchange(steps[name].answers, request));
  } finally {
    isSending = false;
  }
  render();
}

for (const [name, { button }] of Object.entries(steps)) {
  if (name !== 'login') button.addEventListener('click', () => run(name));
}
form.addEventListener('submit', (event) => {
  event.preventDefault();
  run('login');
});
// The select gets the event before the form, which shows the new values.
account.addEventListener('input', () => {
  email.value = account.value;
  password.value = account.selectedOptions[0].dataset.password;
});
form.addEventListener('input', render);
render();
