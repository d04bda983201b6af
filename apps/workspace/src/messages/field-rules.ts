import { icu, inLanguages } from '../lib/texts.ts'

/** Rules of single fields: when one is required, and which option may follow which. */
export const fieldRulesMessages = inLanguages('fieldRulesMessages', {
  required: 'Required fields',
  requiredDetail: 'Fields that must be filled in under conditions. Devices check them, too, also offline.',
  noneRequired: 'No field is required under conditions',
  isRequired: 'is required',
  requiredWhen: (label: string, conditions: string) => `${label} is required when ${conditions}`,
  editRule: (label: string) => `Edit the rule for ${label}`,
  removeRule: (label: string) => `Remove the rule for ${label}`,
  gaps: ({ count, label }: { count: number; label: string }) =>
    icu('{count, plural, one {# record lacks} other {# records lack}} {label}', { count, label }),
  onlyNew: 'Apply to new changes only',
  saved: 'Rule saved',
  removed: 'Rule removed',
  cancel: 'Cancel',
  steps: 'Steps',
  stepsDetail: 'Which option may follow which. Devices check it, too, also offline.',
  noChoices: 'This table has no choice field',
  anyStep: (label: string) => `${label} can change from any option to any other.`,
  limit: 'Limit steps',
  unlimit: 'Allow every step',
  newRecord: 'New record',
  fromTo: (option: string) => `${option} \u2192`,
  fromRole: (option: string, role: string) =>
    `${option} (${{ commenter: 'commenters', editor: 'editors', admin: 'admins', owner: 'owners' }[role] ?? role} and up)`,
  staysThere: 'Nothing can follow',
  startsAnywhere: 'A new record can have any option',
})

/** Why the server refuses such rules, by hint. */
export const fieldRulesRefusals = inLanguages('fieldRulesRefusals', {
  unreachable: 'The server did not answer. Reload to see whether the rule was saved.',
  'access.busy': 'Somebody is using the table. Try again.',
  'access.values': 'Choose a value for each condition.',
  'access.condition': 'A rule has up to 8 conditions, and none on the field that it requires.',
  'access.clock':
    'A required field cannot depend on today: records are checked when they are written, and today changes later.',
  'access.field': 'A field of the rule no longer exists, or cannot have such a rule.',
  'required.gaps': 'Some records lack the field. Fill it in first, or apply the rule to new changes only.',
  'transitions.steps': 'Each step is listed once, with 400 at most.',
  'people.not_admin': 'Only owners and admins can do this.',
  'new_table.not_made_here': 'The table is gone, or was not created in the app.',
})
