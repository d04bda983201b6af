import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for creating a table, from a file or empty. */
export const newTableMessages = inLanguages('newTableMessages', {
  title: 'New table from a file',
  choice: 'A new table',
  description: 'Create a table from a CSV or XLSX file and choose who can see its records.',
  offline: 'Creating a table needs a connection. You can prepare it now.',
  teams: 'Teams',

  fields: 'Fields',
  label: 'Field name',
  labelOf: (column: string) => `Field name of ${column}`,
  becomes: 'Type',
  becomesOf: (column: string) => `Type of ${column}`,
  kinds: {
    text: 'Text',
    long_text: 'Long text',
    email: 'Email',
    url: 'URL',
    phone: 'Phone number',
    integer: 'Whole number',
    number: 'Number',
    boolean: 'Checkbox',
    date: 'Date',
    datetime: 'Date and time',
    choice: 'Choice',
    id: 'Record ID',
    left_out: 'Do not import',
  },
  linkTo: (table: string) => `Link to ${table}`,
  labelForm: 'Use 1 to 40 characters and no full stop',

  table: 'Table',
  name: 'Table name',
  nameOf: (name: string) => `In the database: ${name}`,
  titleField: 'Title field',
  noTitle: 'Add a text field to give records a title',

  access: 'Who can see the records',
  accessKinds: {
    members: 'Everyone in this workspace',
    own: 'Only the creator',
    team: 'A team',
  },
  accessDetails: {
    members: 'Editors can change them.',
    own: 'Owners and admins see all records.',
    team: 'The team named in a field, and owners and admins.',
  },
  teamField: 'Team field',
  guests:
    'Guests see only records shared with them. Every user of this server can see the names of the table and its fields.',
  rules: 'Show SQL',
  rulesLoading: 'Loading',

  emptyTitle: 'New table',
  emptyDescription: 'Set up the fields. You can add records as soon as the table is created.',
  firstFields: ['Name', 'Notes'],
  fieldName: (place: number) => `Name of field ${place}`,
  fieldKind: (place: number) => `Type of field ${place}`,
  choicesOf: (place: number) => `Options of field ${place}, one per line`,
  choicesMissing: 'Enter at least one option',
  fieldMissing: 'Give each field a name',
  nameMissing: 'Give the table a name',
  addField: 'Add field',
  removeField: (label: string) => `Remove ${label}`,
  create: 'Create table',

  review: 'Review',
  make: (rows: number) => icu('Create table and import {rows, plural, one {# record} other {# records}}', { rows }),
  makeEmpty: 'Create table without records',
  making: 'Creating table',
  arriving: 'Table created. Downloading it to this device',
  slow: 'This takes longer than usual. The table exists; you can also import the file into it later.',
  remove: 'Delete the empty table',
  removed: 'Table deleted.',
})

/** Why a table was not created, by the server's hint. */
export const newTableRefusals = inLanguages('newTableRefusals', {
  unreachable: 'The server did not answer. If the table appears in the list, it was created. Otherwise try again.',
  'people.not_admin': 'Only owners and admins of the workspace can create tables.',
  'new_table.name': 'The table or a field has a name that cannot be used. Choose another.',
  'new_table.label': 'Names of tables and fields have 1 to 40 characters and no full stop.',
  'new_table.exists': 'A table with this name exists. Choose another name.',
  'new_table.fields': 'A table has 1 to 200 fields. Remove some.',
  'new_table.kind': 'The server does not support one of the field types. It may be older than this app.',
  'new_table.twice': 'Two fields have the same name. Rename one.',
  'new_table.choices':
    'A choice field has up to 100 options of up to 100 characters, without a backslash. Make it a text field instead.',
  'new_table.link': 'A field links to a table that no longer exists. Choose another.',
  'new_table.team': 'The team field must be a link to teams.',
  'new_table.access': 'The server does not support this choice of who can see the records.',
  'new_table.limit': 'A workspace can have up to 100 tables created in the app.',
  'new_table.has_records': 'The table still has records. Wait until your changes are sent, then try again.',
  'new_table.not_made_here': 'This table was not created in the app, so it cannot be deleted here.',
  'new_table.busy': 'Another user is writing to a table that this one links to. Try again in a moment.',
})
