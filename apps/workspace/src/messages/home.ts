import { formatCount } from '../lib/format.ts'
import { inLanguages } from '../lib/texts.ts'

export const homeMessages = inLanguages('homeMessages', {
  lead: 'Everything here is on this device and works without a connection.',
  leadAtFirst: 'What you may see comes to this device. Then it works without a connection.',
  sync: 'Sync',
  tables: 'Tables',
  noTables: 'You can see no tables yet',
  noTablesDetail: 'A table appears here as soon as you may see some of its records. Ask your operator.',
  newTable: 'New table from a file',
  recent: 'Recent',
  unsent: (records: number) => `${formatCount(records)} not sent`,
})
