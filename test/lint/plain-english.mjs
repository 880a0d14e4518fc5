// Finds English that is hard to read. A sentence opens with a subject or a verb, and has at most 30 words.

const MAX_WORDS = 30;

/** These words open a question, but not a sentence. */
const OPENING = /^(?:What|Who|Whose|Whether|Which|How)\b/;

/** The hard phrases, each with the words to use instead. */
const PHRASES = [
  [/(?<!\bthere )\b(?:is|are|was|were) no\b(?! (?:longer|more|later|earlier)\b)/i, 'write "is not a"'],
  [/\bof (?:its|their|your|our|one's) own\b/i, 'write "its own" before the noun'],
  [/\bwho has\b(?! to)|\bwhoever\b/i, 'name the person or the program'],
  [/\bof another making\b/i, 'name the maker'],
  [/\bin (?:its|their) place\b/i, 'write "instead" or "replaces"'],
  [/\b(?:is|are) told\b/i, 'name the event or the message'],
  [/\bfor as long as\b/i, 'write "while"'],
  [/\bsuch a one\b/i, 'repeat the noun'],
  [/\b(?:chafes?|sheds? light|stands? behind|(?:is|are) spelled)\b/i, 'write what happens, without a picture'],
];

/**
 * Returns a complaint for each hard sentence of a text. Blank lines end a paragraph.
 * @param maxWords the most words of a sentence. Code between backquotes is one word
 */
export function complaintsAboutEnglish(text, { maxWords = MAX_WORDS } = {}) {
  return sentencesOf(text).flatMap((sentence) => {
    const words = sentence.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
    return [
      ...(OPENING.test(sentence) && !sentence.endsWith('?') ? ['open with a subject or a verb'] : []),
      ...PHRASES.filter(([phrase]) => phrase.test(sentence)).map(([, advice]) => advice),
      ...(words > maxWords ? [`use at most ${maxWords} words in a sentence, not ${words}`] : []),
    ].map((advice) => `${advice}: "${sentence}"`);
  });
}

/** Returns a complaint for each hard sentence of a page in Markdown. Items, cells and hard line breaks end a sentence. */
export function complaintsAboutPage(markdown) {
  const text = markdown
    .replace(/^( *)```[\s\S]*?^\1```/gm, '\n\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`]*`/g, 'Code')
    .replace(/<[^>]*>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__/g, '')
    // A heading is not a sentence, so it can open with any word.
    .replace(/^#+ \w+/gm, '\n\nHeading')
    .replace(/^ *(?:[-*>]|\d+\.) |(?<!\\)\||\\$/gm, '\n\n');
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

/** An ESLint rule for comments, and for strings of several words, such as the titles of tests. */
export const plainEnglish = {
  meta: { type: 'suggestion', schema: [], messages: { hard: 'Plain English: {{complaint}}' } },
  create(context) {
    const check = (node, text, options) => {
      for (const complaint of complaintsAboutEnglish(text, options)) {
        context.report({ loc: node.loc, messageId: 'hard', data: { complaint } });
      }
    };
    const checkString = (node, text) => {
      if (text.split(' ').length > 3) check(node, text, { maxWords: Infinity });
    };
    return {
      Program() {
        for (const { comment, text } of proseOf(context.sourceCode.getAllComments())) check(comment, text);
      },
      Literal(node) {
        if (typeof node.value === 'string') checkString(node, node.value);
      },
      TemplateElement(node) {
        checkString(node, node.value.raw);
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
