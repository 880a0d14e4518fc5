// The rules of the tests that no linter has. `.oxlintrc.json` names them.

/** Returns a rule that reports each node which a selector matches. */
function forbid(selector, message) {
  return { create: (context) => ({ [selector]: (node) => context.report({ node, message }) }) };
}

export default {
  meta: { name: 'house' },
  rules: {
    'root-hook': forbid(
      'Program > ExpressionStatement > CallExpression[callee.name=/^before/]',
      'Put it into describe(), because a hook at the root runs for the tests of all files.',
    ),
    'whole-environment': forbid(
      'AssignmentExpression > MemberExpression.left[object.name="process"][property.name="env"]',
      'Use setVariable(), because TZ in a copy of process.env does not change the time zone of Date.',
    ),
  },
};
