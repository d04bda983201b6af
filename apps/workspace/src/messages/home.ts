import { formatCount } from '../lib/format.ts'
import { inLanguages } from '../lib/texts.ts'

export const homeMessages = inLanguages('homeMessages', {
  lead: 'Available offline on this device.',
  leadAtFirst: 'Getting ready to work offline…',
  leadOnline: 'Your data is on this device. Opening the app needs a connection.',
  sync: 'Sync',
  tables: 'Tables',
  noTables: 'No tables yet',
  noTablesDetail: 'They appear here when an owner or admin of the workspace adds them.',
  firstTable: 'Add your first table',
  firstTableDetail: 'Upload a spreadsheet, choose a template, or set up the fields yourself.',
  fromFile: 'Start from a spreadsheet',
  fromTemplate: 'Start from a template',
  startEmpty: 'Start empty',
  startWorkspace: 'Create your workspace',
  startWorkspaceDetail: 'A workspace holds your tables and the people you share them with.',
  noWorkspace: 'You are not in a workspace yet',
  noWorkspaceDetail: (email: string | undefined) =>
    email === undefined
      ? 'Ask the owner of a workspace for an invitation.'
      : `Ask the owner of a workspace to invite ${email}.`,
  newTable: 'New table',
  newTableFromFile: 'New table from a file',
  newTableFromTemplate: 'From a template',
  recent: 'Recent',
  unsent: (records: number) => `${formatCount(records)} not sent`,
})
