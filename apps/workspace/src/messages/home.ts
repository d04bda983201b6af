import { formatCount } from '../lib/format.ts'

export const homeMessages = {
  lead: 'Everything here is on this device and works without a connection.',
  sync: 'Sync',
  tables: 'Tables',
  noTables: 'You can see no tables yet',
  noTablesDetail: 'A table appears here when an access rule lets you read some of its rows. Ask your operator.',
  recent: 'Recent',
  unsent: (records: number) => `${formatCount(records)} not sent`,
} as const
