import type { Request, RequestHandler } from 'express';
import type { DemoAccount } from '../demo-accounts.js';
import { escape, readTemplate } from './template.js';
import { type Language, textsOf } from './texts.js';

const fillIn = readTemplate('home.html');

/** Serves `/` in the language of `?lang`, or in the one that the browser prefers. */
export function serveHome(accounts: readonly DemoAccount[]): RequestHandler {
  const pages = { en: renderHome('en', accounts), fr: renderHome('fr', accounts) };
  return function homeServer(req, res) {
    const language = languageFor(req);
    res.vary('Accept-Language').set('Content-Language', language).type('html').send(pages[language]);
  };
}

function languageFor(req: Request): Language {
  const { lang } = req.query;
  if (lang === 'en' || lang === 'fr') return lang;
  return req.acceptsLanguages('en', 'fr') === 'fr' ? 'fr' : 'en';
}

function renderHome(lang: Language, accounts: readonly DemoAccount[]): string {
  const texts = textsOf[lang];
  const [first] = accounts;
  return fillIn({
    ...texts,
    lang,
    accounts: accounts.map((account) => toOption(account, texts.disabled)).join(''),
    hidden: first === undefined ? 'hidden' : '',
    firstEmail: escape(first?.email ?? ''),
    firstPassword: escape(first?.password ?? ''),
  });
}

function toOption({ email, password, marchand, disabled }: DemoAccount, ifDisabled: string): string {
  const label = [email, marchand.referencl, ...(disabled ? [ifDisabled] : [])].join(' · ');
  return `<option value="${escape(email)}" data-password="${escape(password)}">${escape(label)}</option>`;
}
