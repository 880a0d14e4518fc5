import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Request, RequestHandler } from 'express';
import type { DemoAccount } from '../demo-accounts.js';
import { PUBLIC, withVersions } from './assets.js';
import { type Language, textsOf } from './texts.js';

const TEMPLATE = withVersions(readFileSync(path.join(PUBLIC, 'home.html'), 'utf8'));

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
  const values: Readonly<Record<string, string>> = {
    ...texts,
    lang,
    accounts: accounts.map((account) => toOption(account, texts.disabled)).join(''),
    hidden: accounts.length === 0 ? 'hidden' : '',
    firstEmail: escape(accounts[0]?.email),
    firstPassword: escape(accounts[0]?.password),
  };
  return TEMPLATE.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`home.html uses {{${name}}}, which has no value.`);
    return value;
  });
}

function toOption({ email, password, marchand, disabled }: DemoAccount, ifDisabled: string): string {
  const label = [email, marchand.referencl, ...(disabled ? [ifDisabled] : [])].join(' · ');
  return `<option value="${escape(email)}" data-password="${escape(password)}">${escape(label)}</option>`;
}

function escape(text = ''): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
