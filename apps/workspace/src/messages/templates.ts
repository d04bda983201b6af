import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for loading, removing and exporting templates. */
export const templateMessages = inLanguages('templateMessages', {
  title: 'Templates',
  description: 'Tables with views, forms and sample records. You can change everything later.',
  use: 'Use template',
  useNamed: (name: string) => `Use template ${name}`,
  tables: 'Tables',
  showSql: 'Show SQL',
  sqlOf: (name: string) => `SQL of ${name}`,
  fromFile: 'From a file',
  fromFileDetail: 'A template that was exported from this or another server.',
  chooseFile: 'Choose a file',
  notATemplate: 'This file is not a template.',
  tooLarge: 'A template has at most 1 MB.',
  offline: 'Templates need a connection.',
  onlyAdmins: 'Only owners and admins of the workspace can use templates.',
  notFetched: 'The templates did not arrive. Check the connection.',
  retry: 'Try again',
  fetching: 'Loading templates',
  creating: (name: string) => `Creating ${name}`,
  creatingDetail: 'Tables, views and sample records',
  arriving: 'Created. Downloading to this device',
  automationsOff: (automations: number) =>
    icu(
      '{automations, plural, one {# automation is off. Check it, then turn it on.} other {# automations are off. Check them, then turn them on.}}',
      {
        automations,
      },
    ),
  slow: 'This takes longer than usual. The tables exist and will appear on the home screen.',

  loaded: 'Loaded templates',
  samples: (records: number) =>
    icu('{records, plural, =0 {No sample records} one {# sample record} other {# sample records}}', { records }),
  sampleNotice: 'This workspace contains sample data',
  sampleOf: (names: string) => `From ${names}`,
  removeSamples: 'Remove sample records',
  removeSamplesOf: (name: string) => `Remove sample records of ${name}`,
  removeTemplate: 'Remove template',
  removeTemplateOf: (name: string) => `Remove template ${name}`,
  manage: 'Manage',
  removeSamplesQuestion: 'Remove the sample records?',
  removeSamplesDetail: 'Deletes them for everyone, including those that were changed. Your own records stay.',
  removeTemplateQuestion: 'Remove the template?',
  removeTemplateDetail:
    'Deletes its sample records and tables for everyone. Tables with other records stay, and so do tables that these link to.',
  samplesRemoved: (records: number) =>
    icu('{records, plural, one {# sample record removed} other {# sample records removed}}', { records }),
  removed: (tables: number) => icu('{tables, plural, one {# table removed} other {# tables removed}}', { tables }),
  kept: (tables: string) => `These tables stay because they contain other records: ${tables}`,

  exportTitle: 'Export as template',
  exportDetail:
    'Saves the tables created in this workspace, with their views, checklists and automations, as a file. It contains no users, comments or email addresses.',
  withRecords: 'Include records',
  withRecordsDetail: 'Up to 2,000. Check them before you share the file.',
  export: 'Export',
  exported: 'Exported',
  leftOut: 'Not included',
  leftOutReasons: {
    field: 'a field of a type that templates cannot describe',
    rule: 'the default value or limits of a field',
    access: 'changed access rules; in the template, only creators and admins see the records',
    view: 'a view that filters by a record or a user',
    dashboard: 'a dashboard of other tables, or that filters by a record or a user',
    transition: 'steps that depend on a function',
    automation: 'an automation that names a record, a user, an address, or a field that is left out',
    webhook: 'the address and the secrets of its webhook',
  },
})

/** Why a template was refused, by the server's hint. */
export const templateRefusals = inLanguages('templateRefusals', {
  unreachable: 'The server did not answer. If the tables appear on the home screen, the template was loaded.',
  'people.not_admin': 'Only owners and admins of the workspace can use templates.',
  'template.version': 'The template was written for another version of Holdfast.',
  'template.size': 'A template has at most 1 MB.',
  'template.limit': 'The template is too large, or the workspace has 50 loaded templates.',
  'template.automation':
    'An automation of the template does not fit, sends mail to an address that only owners may enter, or would be more than the 50 that a workspace can have.',
  'template.not_found': 'The template was removed already.',
  'template.no_tables': 'This workspace has no tables of its own. Tables created with SQL cannot be exported.',
  'template.too_many_records': 'The workspace has more than 2,000 records. Export it without records.',
  'template.used': 'Something else in the database uses these tables.',
  'new_table.limit': 'A workspace can have up to 100 tables created in the app.',
  'new_table.busy': 'Another user is writing to one of the tables. Try again in a moment.',
})
