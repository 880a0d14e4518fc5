/** The texts of `/` as HTML. Those that the template has in an attribute are plain text without quotation marks. */
const en = {
  otherLang: 'fr',
  otherName: 'Français',
  title: 'Merchant payments',
  intro:
    'Try this API in five steps. Each button sends a real request, and each step shows its request and the answer.',
  rule: 'Your integration calls the API from your server, never from a browser or a mobile app.',
  docs: 'All routes in the browser',
  postman: 'Postman collection',
  openapi: 'OpenAPI document',
  noScript: 'The buttons need JavaScript.',

  login: 'Log in',
  loginText:
    'The answer has your token, which is valid for five hours, and your merchant reference <code>referencl</code>.',
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
    'A token ends after five hours, or earlier. At the first 401, log in again and repeat the request once. This is a simulation: the button sends a text that is not a token, so the answer is 401 <code>invalid_token</code>. An expired token gets 401 <code>expired_token</code>. After the 401, the page logs in and repeats the request.',
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
    'Essayez cette API en cinq étapes. Chaque bouton envoie une vraie requête ; chaque étape montre sa requête et la réponse.',
  rule: "Votre intégration appelle l'API depuis votre serveur, jamais depuis un navigateur ou une application mobile.",
  docs: 'Toutes les routes dans le navigateur',
  postman: 'Collection Postman',
  openapi: 'Document OpenAPI',
  noScript: 'Les boutons nécessitent JavaScript.',

  login: 'Se connecter',
  loginText:
    'La réponse contient votre token, valable cinq heures, et votre référence marchand <code>referencl</code>.',
  account: 'Compte de démonstration',
  disabled: 'désactivé',
  email: 'E-mail',
  password: 'Mot de passe',
  create: 'Créer une transaction',
  createText:
    "Envoyez le token dans l'en-tête <code>Authorization</code> et votre référence dans <code>refercence_cl</code>. Utilisez un nouveau <code>merchant_transaction_id</code> pour chaque commande.",
  repeat: 'Renvoyer la même requête',
  repeatText:
    "Si vous ignorez si la transaction a été créée, renvoyez la même requête. La réponse 200 au lieu de 201 signifie qu'aucune seconde transaction n'a été créée.",
  read: 'Lire la transaction',
  readText: "L'adresse se termine par l'<code>id</code> reçu à l'étape 2.",
  expire: 'Se reconnecter après un 401',
  expireText:
    "Un token expire au bout de cinq heures, parfois plus tôt. Au premier 401, reconnectez-vous, puis renvoyez la requête une seule fois. Ceci est une simulation : le bouton envoie un texte qui n'est pas un token, d'où la réponse 401 <code>invalid_token</code>. Un token expiré reçoit 401 <code>expired_token</code>. Après le 401, la page se reconnecte et renvoie la requête.",
  expireButton: 'Envoyer un token refusé',

  languages: 'Langage du code',
  copy: 'Copier',
  copied: 'Copié',
  selected: 'Texte sélectionné : copiez-le au clavier.',
  sending: 'Envoi en cours…',
  lost: "Aucune réponse. Vérifiez votre connexion et l'état du service, puis réessayez. Aucune seconde transaction ne sera créée.",
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
