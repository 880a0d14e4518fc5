import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const VOID_EXPRESSIONS = ['error', { ignoreArrowShorthand: true }];

/** The rules with types that have found something in tests, or that find a test which cannot fail. The others cost more. */
const TYPED_RULES_OF_TESTS = {
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/dot-notation': 'error',
  '@typescript-eslint/no-confusing-void-expression': VOID_EXPRESSIONS,
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-implied-eval': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/no-misused-spread': 'error',
  '@typescript-eslint/no-unnecessary-type-assertion': 'error',
  '@typescript-eslint/no-unsafe-assignment': 'error',
  '@typescript-eslint/no-unsafe-member-access': 'error',
  '@typescript-eslint/no-unsafe-return': 'error',
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/require-await': 'error',
};

export default defineConfig(
  globalIgnores([
    '**/dist/',
    'coverage/',
    'src/login/validate-login-body.ts',
    'test/consumers/',
    'test/api-tools/',
    'test/docs/.snippets/',
  ]),
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Values from hosts and callers are checked at run time, whatever their declared type says.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-confusing-void-expression': VOID_EXPRESSIONS,
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['{,client/,audit/}test/**'],
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      ...TYPED_RULES_OF_TESTS,
      'no-restricted-syntax': [
        'error',
        {
          selector: 'AssignmentExpression > MemberExpression.left[object.name="process"][property.name="env"]',
          message: 'Use setVariable(), because TZ in a copy of process.env does not change the time zone of Date.',
        },
        {
          selector: 'Program > ExpressionStatement > CallExpression[callee.name=/^before/]',
          message: 'Put it into describe(), because a hook at the root runs for the tests of all files.',
        },
      ],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
    },
  },
  {
    files: ['{,client/,audit/}src/**'],
    rules: {
      'max-lines': ['error', { max: 200 }],
      // A dependency that only some hosts need is loaded in the function that needs it.
      '@typescript-eslint/no-require-imports': 'off',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
    },
  },
  { files: ['**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);
