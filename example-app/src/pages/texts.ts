/** The texts of `/` as HTML. Those that the template has in an attribute are plain text without quotation marks. */
const en = {
  otherLang: 'fr',
  otherName: 'Français',
  title: 'Merchant payments',
  intro:
    'Try this API in five steps. Each button sends a real request, and each step shows its request and the answer. Button 2 needs step 1, and buttons 3 to 5 need step 2.',
  rule: 'Your integration calls the API from your server, never from a browser or a mobile app.',
  docs: 'All routes in the browser',
  postman: 'Postman collection',
  openapi: 'OpenAPI document',
  noScript: 'The buttons need JavaScript.',

  login: 'Log in',
  loginText:
    'The answer has your token, which is valid for up to five hours, and your merchant reference <code>referencl</code>. The code of steps 2 to 4 reads the token from the environment. Before you run that code, set it: <code>export TOKEN=...</code> in bash, <code>$env:TOKEN = "..."</code> in PowerShell.',
  account: 'Demo account',
  disabled: 'disabled',
  email: 'Email',
  password: 'Password',
  create: 'Create a transaction',
  createText:
    'Send the token in the header <code>Authorization</code>, and your reference as <code>refercence_cl</code>. Use a new <code>merchant_transaction_id</code> for each order.',
  repeat: 'Repeat the same request',
  repeatText:
    'If you do not know whether the transaction was created, send the same request again. 200 instead of 201 means that no second transaction was created.',
  read: 'Read the transaction',
  readText: 'The address ends with the <code>id</code> from the answer to step 2.',
  expire: 'Log in again after a 401',
  expireText:
    'A token ends after five hours, or earlier. If a request with a token gets a 401, log in again and repeat the request once. This is a simulation: the button sends a text that is not a token. An expired token gets a 401 with another <code>error</code>. After the 401, the page logs in and repeats the request.',
  expireButton: 'Send a refused token',

  languages: 'Language of the code',
  copy: 'Copy',
  copied: 'Copied',
  selected: 'Selected. Copy it with your keyboard.',
  sending: 'Sending…',
  lost: 'No answer came. Check your connection and whether the service runs, then press the button again. This cannot create a second transaction.',
  yourPassword: 'YOUR_PASSWORD',
  yourReference: 'YOUR_REFERENCE',
};

type Texts = Readonly<Record<keyof typeof en, string>>;

const fr: Texts = {
  otherLang: 'en',
  otherName: 'English',
  title: 'Paiements marchands',
  intro:
    "Essayez cette API en cinq étapes. Chaque bouton envoie une vraie requête ; chaque étape montre sa requête et la réponse. Le bouton 2 s'active après l'étape 1, et les boutons 3 à 5 après l'étape 2.",
  rule: "Votre intégration appelle l'API depuis votre serveur, jamais depuis un navigateur ou une application mobile.",
  docs: 'Tester toutes les routes (en anglais)',
  postman: 'Collection Postman',
  openapi: 'Spécification OpenAPI',
  noScript: 'Activez JavaScript pour utiliser les boutons.',

  login: 'Se connecter',
  loginText:
    'La réponse contient votre jeton, valable cinq heures au plus, et votre référence marchand <code>referencl</code>. Le code des étapes 2 à 4 lit le jeton dans la variable d’environnement <code>TOKEN</code>. Définissez-la avant : <code>export TOKEN=...</code> dans bash, <code>$env:TOKEN = "..."</code> dans PowerShell.',
  account: 'Compte de démonstration',
  disabled: 'désactivé',
  email: 'E-mail',
  password: 'Mot de passe',
  create: 'Créer une transaction',
  createText:
    "Envoyez le jeton dans l'en-tête <code>Authorization</code> et votre référence dans <code>refercence_cl</code>. Utilisez un nouveau <code>merchant_transaction_id</code> pour chaque commande.",
  repeat: 'Renvoyer la même requête',
  repeatText:
    "Si vous ne savez pas si la transaction a été créée, renvoyez la même requête. Une réponse 200, et non 201, signifie qu'aucune seconde transaction n'a été créée.",
  read: 'Lire la transaction',
  readText: "L'adresse se termine par l'<code>id</code> reçu à l'étape 2.",
  expire: 'Se reconnecter après un 401',
  expireText:
    "Un jeton est valable cinq heures au plus. Si une requête avec jeton reçoit un 401, reconnectez-vous, puis renvoyez la requête une seule fois. Il s'agit d'une simulation : le bouton envoie un texte qui n'est pas un jeton. Avec un jeton expiré, le 401 a une autre valeur de <code>error</code>. Après le 401, la page se reconnecte et renvoie la requête.",
  expireButton: 'Envoyer un faux jeton',

  languages: 'Langage du code',
  copy: 'Copier',
  copied: 'Copié',
  selected: 'Texte sélectionné : copiez-le au clavier.',
  sending: 'Envoi en cours…',
  lost: "Aucune réponse. Vérifiez votre connexion et l'état du service, puis appuyez de nouveau sur le bouton. Réessayer ne créera pas de seconde transaction.",
  yourPassword: 'VOTRE_MOT_DE_PASSE',
  yourReference: 'VOTRE_REFERENCE',
};

/** Puts a non-breaking space before double punctuation, and typographic apostrophes. */
function typeset(texts: Texts): Texts {
  const entries = Object.entries(texts).map(([name, text]) => [
    name,
    text.replace(/ (?=[:;?!])/g, '\u00a0').replaceAll("'", '’'),
  ]);
  return Object.fromEntries(entries) as Texts;
}

export const textsOf = { en, fr: typeset(fr) };

export type Language = keyof typeof textsOf;
