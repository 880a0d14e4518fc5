import type { Rule } from 'eslint';

export function complaintsAboutEnglish(text: string): string[];
export function complaintsAboutPage(markdown: string): string[];
export const plainEnglish: Rule.RuleModule;
