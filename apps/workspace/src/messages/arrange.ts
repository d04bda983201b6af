import { inLanguages } from '../lib/texts.ts'

export const arrangeMessages = inLanguages('arrangeMessages', {
  open: 'Arrange the fields',
  title: (table: string) => `Fields of ${table}`,
  lead: 'Where each field stands on the page of a record, for everybody who sees the table. Fields that are not shown stay in grids and exports.',
  main: 'Main part',
  hidden: 'Not shown',
  empty: 'No field stands here.',
  partOf: (field: string) => `Where ${field} stands`,
  up: (field: string) => `Move ${field} up`,
  down: (field: string) => `Move ${field} down`,
  movedTo: (field: string, part: string, place: number, count: number) => `${field}: ${part}, ${place} of ${count}`,
  newSection: 'New section',
  addSection: 'Add',
  save: 'Save for everybody',
  arrangement: (table: string) => `arrangement of ${table}`,
})
