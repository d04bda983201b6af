import { icu, inLanguages } from '../lib/texts.ts'

/** Texts of the menus of columns and cells. */
export const menuMessages = inLanguages('menuMessages', {
  columnMenu: (label: string) => `Menu of ${label}`,
  cellMenu: 'Menu of the selected cells',
  ascending: 'Sort ascending',
  descending: 'Sort descending',
  filterBy: 'Filter by this field',
  groupBy: 'Group by this field',
  ungroup: 'Stop grouping by this field',
  freeze: 'Freeze up to here',
  unfreeze: 'Unfreeze columns',
  hide: 'Hide field',
  hidden: (label: string) => `${label} is hidden`,
  width: 'Set width',
  widthOf: 'Width in pixels',
  widthLimits: (min: number, max: number) => `Enter a number from ${min} to ${max}`,
  automatic: 'Automatic',
  apply: 'Apply',
  open: 'Open record',
  select: (rows: number) => icu('Select {rows, plural, one {record} other {# records}}', { rows }),
  edit: (cells: number) => icu('Edit {cells, plural, one {cell} other {# cells}}', { cells }),
  copy: 'Copy',
  fill: 'Fill down',
  clear: 'Clear',
  delete: (rows: number) => icu('Delete {rows, plural, one {record} other {# records}}', { rows }),
})
