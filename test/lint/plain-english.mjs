// Finds sentences of more than 30 words, because they are hard to read.

const MAX_WORDS = 30;

/** Returns a complaint for each long sentence of a text. Blank lines end a paragraph. Code between backquotes is one word. */
export function complaintsAboutEnglish(text) {
  return sentencesOf(text).flatMap((sentence) => {
    const words = sentence.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
    return words > MAX_WORDS ? [`use at most ${MAX_WORDS} words in a sentence, not ${words}: "${sentence}"`] : [];
  });
}

/** Returns a complaint for each long sentence of a page in Markdown. Items, cells and hard line breaks end a sentence. */
export function complaintsAboutPage(markdown) {
  const text = markdown
    .replace(/^( *)```[\s\S]*?^\1```/gm, '\n\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`]*`/g, 'Code')
    .replace(/<[^>]*>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__/g, '')
    .replace(/^ *(?:#+|[-*>]|\d+\.) |(?<!\\)\||\\$/gm, '\n\n');
  return complaintsAboutEnglish(text);
}

function sentencesOf(text) {
  const plain = text.replace(/`[^`]*`/g, 'Code').split(/\n\s*\n/);
  const sentences = plain.flatMap((paragraph) =>
    paragraph
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.:?!])\s+(?=[A-Z@"(])|\s+(?=@\w)|(?:^|\s+)- /),
  );
  return sentences.filter((sentence) => sentence !== '');
}

/** An ESLint rule for comments. */
export const plainEnglish = {
  meta: { type: 'suggestion', schema: [], messages: { hard: 'Plain English: {{complaint}}' } },
  create(context) {
    return {
      Program() {
        for (const { comment, text } of proseOf(context.sourceCode.getAllComments())) {
          for (const complaint of complaintsAboutEnglish(text)) {
            context.report({ loc: comment.loc, messageId: 'hard', data: { complaint } });
          }
        }
      },
    };
  },
};

/** Returns the texts of comments. Line comments on adjacent lines are one text. Directives and code are left out. */
function proseOf(comments) {
  const texts = [];
  let previous;
  for (const comment of comments) {
    const text = comment.value.replace(/^\s*\* {5}.*$/gm, '').replace(/^[ \t]*\*+ ?/gm, '');
    const isNextLine = comment.loc.start.line === previous?.loc.end.line + 1;
    if (comment.type === 'Line' && previous?.type === 'Line' && isNextLine) texts.at(-1).text += ` ${text}`;
    else texts.push({ comment, text });
    previous = comment;
  }
  return texts.filter(({ text }) => !/^\s*(?:eslint|@ts-|c8 |prettier|#region)/.test(text));
}
