import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for copying, pasting and changing ranges of cells. */
export const pasteMessages = inLanguages('pasteMessages', {
  pasteNothing: 'There is nothing to paste',
  pasteTooMany: (max: number) => `At most ${formatCount(max)} cells can be pasted at once. Import the file instead.`,
  pasteMore: (rows: number) => icu('{rows, plural, one {# row is} other {# rows are}} below the last record', { rows }),
  pasteMoreDetail: (many: string) =>
    `They can become new ${many}, or be left out. The other rows are pasted either way.`,
  pasteAdd: (rows: number, one: string, many: string) =>
    icu('Add {rows, plural, one {# {one}} other {# {many}}}', { rows, one, many }),
  pasteLeave: 'Leave them out',
  pasteNoRow: 'There is no record for it: it is below the last one',
  linkUnknown: (title: string) => `No record is called “${title}”`,
  linkAmbiguous: (title: string) => `Several records are called “${title}”`,
  changed: (cells: number) => icu('{cells, plural, one {# cell} other {# cells}} changed', { cells }),
  fillNothing: 'Select the cells to fill, starting with the one to copy',
  pasteNoField: 'There is no field for it: it is to the right of the last one',
  copied: (cells: number) => icu('{cells, plural, one {# cell} other {# cells}} copied', { cells }),
  editTooMany: (max: number) => `At most ${formatCount(max)} rows can be changed at once`,
})
