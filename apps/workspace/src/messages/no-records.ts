import { formatCount } from '../lib/format.ts'
import { inLanguages } from '../lib/texts.ts'

/** Texts of a table without records, of a view that shows none, and of a table that the user may not see; loaded later than those that every table shows. */
export const noRecordsMessages = inLanguages('noRecordsMessages', {
  noRecords: (many: string) => `No ${many} here yet`,
  noRecordsDetail: 'Add the first one. It is saved on this device and sent when you are online.',
  noRecordsReadOnly: (many: string) => `No ${many} that you can see`,
  noRecordsReadOnlyDetail:
    'There may be none yet, or none are shared with you. If something is missing, ask an owner or admin of the workspace.',
  noAccess: 'This table is not visible to you',
  noAccessDetail: 'It may not exist, or you may not see it.',
  noMatch: (total: number) => `0 of ${formatCount(total)} match`,
  noMatchDetail: 'Nothing fits the search and the filter together.',
  errorTitle: 'This view cannot be shown',
  resetView: 'Reset the view',
  importFile: 'Import a file',
})
