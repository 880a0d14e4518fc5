import type { AuthError, AuthErrorCode, FieldError, Respond } from 'express-merchant-auth';

const MESSAGES = {
  invalid_body: 'Corps de requête non valide',
  wrong_credentials: 'E-mail ou mot de passe incorrect',
  account_disabled: 'Compte désactivé',
  too_many_attempts: 'Trop d’échecs de connexion',
  too_busy: 'Trop de connexions simultanées',
  method_not_allowed: 'Méthode non autorisée',
  invalid_url: 'URL non valide',
  source_not_allowed: 'Adresse IP non autorisée',
  missing_token: 'Jeton manquant',
  invalid_token: 'Jeton non valide',
  expired_token: 'Jeton expiré',
  revoked_token: 'Jeton révoqué',
  missing_reference: 'Référence manquante',
  invalid_reference: 'Référence non valide',
  foreign_reference: 'Référence d’un autre marchand',
  unreadable_body: 'Requête illisible',
  store_unavailable: 'Vérification des comptes impossible',
  lost_body: 'Service mal configuré',
  malformed_account: 'Service mal configuré',
} as const satisfies Record<AuthErrorCode, string>;

interface Values {
  readonly reference: string;
  readonly seconds: string | undefined;
  readonly address: string | undefined;
}

const DESCRIPTIONS: Readonly<Record<AuthErrorCode, string | ((values: Values) => string)>> = {
  invalid_body: 'Le corps n’est pas valide. Envoyez l’objet JSON que cette route attend.',
  wrong_credentials: 'L’e-mail ou le mot de passe est incorrect. Vérifiez les deux et reconnectez-vous.',
  account_disabled: 'Ce compte marchand est désactivé. Contactez l’exploitant de ce service.',
  too_many_attempts: ({ seconds }) => `Trop de tentatives de connexion ont échoué. Réessayez dans ${seconds}\u00a0s.`,
  too_busy: ({ seconds }) => `Trop de connexions simultanées. Réessayez dans ${seconds}\u00a0s.`,
  method_not_allowed: 'Utilisez POST.',
  invalid_url: 'Le chemin de l’URL ne peut pas être décodé. Encodez ses caractères en %XX (UTF-8), et % en %25.',
  source_not_allowed: ({ address }) =>
    address === undefined
      ? 'Ce compte ne peut être utilisé que depuis certaines adresses IP, et le service ne voit pas la vôtre. Prévenez l’exploitant.'
      : `Ce compte ne peut pas être utilisé depuis votre adresse IP (${address}). Demandez à l’exploitant de l’ajouter.`,
  missing_token: 'Envoyez l’en-tête Authorization: Bearer <token>.',
  invalid_token: 'Le jeton n’est pas valide. Reconnectez-vous.',
  expired_token: 'Le jeton a expiré. Reconnectez-vous.',
  revoked_token: 'Le jeton n’est plus accepté. Reconnectez-vous.',
  missing_reference: ({ reference }) =>
    `Envoyez ${reference}\u00a0: la valeur de marchand.referencl reçue à la connexion.`,
  invalid_reference: ({ reference }) => `Envoyez ${reference} une seule fois, sous forme de chaîne de caractères.`,
  foreign_reference: ({ reference }) =>
    `Ce ${reference} n’est pas le vôtre. Envoyez la valeur de marchand.referencl reçue à la connexion.`,
  unreadable_body: 'Envoyez le corps en JSON, avec Content-Type: application/json.',
  store_unavailable: ({ seconds }) =>
    `Les comptes ne peuvent pas être vérifiés pour le moment. Réessayez dans ${seconds}\u00a0s.`,
  lost_body: 'Le service est mal configuré. Prévenez son exploitant.',
  malformed_account: 'Le service est mal configuré. Prévenez son exploitant.',
};

/** More exact descriptions, by the English one. An English text without one gets the description of its code. */
const MORE: Readonly<Record<string, string>> = {
  'The body is not a valid JSON object or array.': 'Le corps n’est ni un objet ni un tableau JSON valide.',
  'The body is not a valid JSON object.': 'Le corps n’est pas un objet JSON valide.',
  'The body is not valid UTF-8. Encode its text as UTF-8.':
    'Le corps n’est pas en UTF-8 valide. Encodez son texte en UTF-8.',
  'The body is too large. Send less.': 'Le corps est trop volumineux. Envoyez moins de données.',
  'The body did not arrive in time.': 'Le corps n’a pas été reçu à temps.',
  'The body could not be read.': 'Le corps n’a pas pu être lu.',
  'The charset of the body is not supported. Send UTF-8.':
    'Jeu de caractères non pris en charge. Envoyez le corps en UTF-8.',
  'The header Content-Encoding is not supported. Send the body uncompressed without this header, or as gzip.':
    'L’en-tête Content-Encoding n’est pas pris en charge. Envoyez le corps non compressé, sans cet en-tête, ou en gzip.',
  'The body does not match the header Content-Encoding. Send the body uncompressed without this header, or as gzip.':
    'Le corps ne correspond pas à l’en-tête Content-Encoding. Envoyez-le non compressé, sans cet en-tête, ou en gzip.',
  'The query cannot be read. Leave the query out, or tell the operator of this service.':
    'Le service ne peut pas lire les paramètres de l’URL. Retirez-les, ou prévenez l’exploitant du service.',
  'Send the body as application/json.': 'Envoyez le corps au format JSON (Content-Type: application/json).',
  'The identifier must be a text of 1 to 255 characters, without NUL.':
    'L’identifiant doit être un texte de 1 à 255 caractères, sans NUL.',
  'The password must be a text of 1 to 255 characters, without NUL.':
    'Le mot de passe doit être un texte de 1 à 255 caractères, sans NUL.',
  'Send exactly one header of the form Authorization: Bearer <token>.':
    'Envoyez un seul en-tête, de la forme Authorization: Bearer <token>.',
  'Send refercence_cl: the marchand.referencl of your login. You sent reference_cl.':
    'Envoyez refercence_cl\u00a0: la valeur de marchand.referencl reçue à la connexion. Vous avez envoyé reference_cl.',
};

const UNITS: Readonly<Record<string, string>> = { bytes: 'octets', KiB: 'Kio', MiB: 'Mio' };

const RULES: Readonly<Record<FieldError['rule'], (field: string, limit: number | undefined) => string>> = {
  required: (field) => `${field} est obligatoire.`,
  type: (field) => `${field} doit être une chaîne de caractères.`,
  minLength: (field, limit) => `${field} doit contenir au moins ${limit} caractères.`,
  maxLength: (field, limit) => `${field} doit contenir au plus ${limit} caractères.`,
  format: (field) =>
    `${field} doit être ${field === 'email' ? 'une adresse e-mail (avec un @)' : 'une chaîne Unicode valide'}.`,
};

/**
 * Answers a refusal of the package in French. Status, headers and `error` stay the same, because clients decide by them.
 * A service has one language, because caches and logs do not know who reads a text.
 */
export const respondInFrench: Respond = (error, _req, res) => {
  const broken = error.errors?.map(({ field, rule, limit }) => ({ field, rule, message: RULES[rule](field, limit) }));
  const description = broken?.length ? broken.map(({ message }) => message).join(' ') : describe(error);
  const french = {
    ...error.toJSON(),
    message: MESSAGES[error.code],
    description,
    ...(broken && { errors: broken }),
  };
  res.status(error.status).set(error.headers).json(french);
};

function describe({ code, description, headers, address, referenceNames = ['refercence_cl'] }: AuthError): string {
  const text = tooLarge(description) ?? MORE[description] ?? DESCRIPTIONS[code];
  if (typeof text === 'string') return text;
  return text({ reference: referenceNames.join(' ou '), seconds: headers['Retry-After'], address });
}

/** Only the English description has the limit that the body broke. */
function tooLarge(description: string): string | undefined {
  const [, limit, unit = ''] = /^The body is larger than (\d+) (\w+)\./.exec(description) ?? [];
  return limit && `Le corps dépasse ${limit}\u00a0${UNITS[unit] ?? unit}. Envoyez moins de données.`;
}
