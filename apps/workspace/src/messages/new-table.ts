import { icu, inLanguages } from '../lib/texts.ts'

/** What is read where a table is made of a file. */
export const newTableMessages = inLanguages('newTableMessages', {
  title: 'New table from a file',
  choice: 'A new table',
  description: 'A CSV or XLSX file becomes a table for everybody in this workspace, or for some of it.',
  offline: 'A table is made on the server. You can prepare it now, and make it when you are on line.',
  teams: 'Teams',

  fields: 'Fields',
  label: 'Called',
  labelOf: (column: string) => `${column} is called`,
  becomes: 'Is',
  becomesOf: (column: string) => `${column} is`,
  kinds: {
    text: 'Text',
    long_text: 'Long text',
    email: 'E-mail address',
    url: 'Web address',
    phone: 'Telephone number',
    integer: 'Whole number',
    number: 'Number',
    boolean: 'Yes or no',
    date: 'Date',
    datetime: 'Date and time',
    choice: 'Choice',
    id: 'The ID of the record',
    left_out: 'Left out',
  },
  linkTo: (table: string) => `Link to ${table}`,
  labelForm: 'Up to 40 characters, without a full stop',

  table: 'Table',
  name: 'What the table is called',
  nameOf: (name: string) => `In the database: ${name}`,
  titleField: 'What names a record',
  noTitle: 'No text is in it: records have numbers only',

  access: 'Who sees the records',
  accessKinds: {
    members: 'Everybody in this workspace',
    own: 'Whoever made the record',
    team: 'The team of the record',
  },
  accessDetails: {
    members: 'Editors change them.',
    own: 'And owners and admins.',
    team: 'And owners and admins. The team is in a field.',
  },
  teamField: 'Field with the team',
  guests:
    'Guests see what is shared with them. The names of the table and its fields are known to all who sign in to this project.',
  rules: 'The rules, as the database will have them',
  rulesLoading: 'Asking the server',

  review: 'What will be made',
  make: (rows: number) => icu('Make the table and import {rows, plural, one {# record} other {# records}}', { rows }),
  makeEmpty: 'Make the table without records',
  making: 'Making the table',
  arriving: 'The table is made. It is coming to this device',
  slow: 'This takes longer than usual. The table is there; you can import the file into it later as well.',
  remove: 'Remove the empty table as well',
  removed: 'The table was removed.',
})

/** Why a table was not made, by what the server says. */
export const newTableRefusals = inLanguages('newTableRefusals', {
  unreachable: 'The server did not answer. If the table is in the list nevertheless, it was made; else try again.',
  'people.not_admin': 'Only owners and admins of the workspace make tables.',
  'new_table.name': 'The name of the table or of a field cannot be used. Call it otherwise.',
  'new_table.label': 'A table and each field is called by 1 to 40 characters, without a full stop.',
  'new_table.exists': 'There is a table of this name already. Call it otherwise.',
  'new_table.fields': 'A table has between 1 and 200 fields. Leave some out.',
  'new_table.kind': 'The server does not know one of the kinds of fields. It may be older than this app.',
  'new_table.twice': 'Two fields have the same name. Call one otherwise.',
  'new_table.choices':
    'A choice has up to 100 words of 100 characters, in one line and without a backslash. Make it a text.',
  'new_table.link': 'A link leads to a table that is not there any more. Choose again.',
  'new_table.team': 'The field with the team has to be a link to teams.',
  'new_table.access': 'The server does not know this choice of who sees the records.',
  'new_table.limit': 'A workspace makes 100 tables at most. An operator can make more.',
  'new_table.has_records':
    'The table has records still. What you took back may not have been sent yet: wait, and try again.',
  'new_table.not_made_here': 'This table was not made in the app. An operator removes it.',
  'new_table.busy': 'Somebody is writing to a table that this one leads to. Try again in a moment.',
})
