import { inLanguages } from '../lib/texts.ts'

/** Texts for changing the fields of a table. */
export const tableSettingsMessages = inLanguages('tableSettingsMessages', {
  offline: 'Changing fields needs a connection.',
  add: 'Add field',
  name: 'Field name',
  kind: 'Type',
  nameMissing: 'Give the field a name',
  autonumber: 'Automatic number',
  rating: 'Rating from 1 to 5',
  person: 'Person',
  choices: 'Options, one per line',
  choicesMissing: 'Enter at least one option',
  details: 'Details',
  added: (label: string) => `${label} added`,
  rename: 'Rename field',
  renameDetail: 'Its values, views and filters stay as they are.',
  save: 'Save',
  renamed: (label: string) => `Renamed to ${label}`,
  delete: 'Delete field',
  deleteTitle: (label: string) => `Delete ${label}?`,
  deleteDetail: 'Everyone loses this field and its values. Owners and admins can restore it for 30 days.',
  deleted: (label: string) => `${label} deleted`,
  undo: 'Restore',
  deletedFields: 'Deleted fields',
  until: (date: string) => `until ${date}`,
  restoreOf: (label: string) => `Restore ${label}`,
  restored: (label: string) => `${label} restored`,
  noneDeleted: 'No deleted fields',
})

/** Why a table was not changed, by the server's hint. */
export const tableSettingsRefusals = inLanguages('tableSettingsRefusals', {
  unreachable: 'The server did not answer. Reload to see whether the field was changed.',
  'people.not_admin': 'Only owners and admins of the workspace can change fields.',
  'change_table.of_project': 'This table belongs to the project. A developer changes it with a migration.',
  'change_table.kind': 'The server does not support this change. It may be older than this app.',
  'change_table.no_field': 'This field no longer exists. Another user may have deleted it.',
  'change_table.used': 'Something else uses this field. Change or remove that first.',
  'change_table.busy': 'Another user is writing to this table. Try again in a moment.',
})
