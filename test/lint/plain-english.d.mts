import type { Rule } from 'eslint';

export function complaintsAboutEnglish(text: string, options?: { readonly maxWords?: number }): string[];
export function complaintsAboutPage(markdown: string): string[];
export const plainEnglish: Rule.RuleModule;
