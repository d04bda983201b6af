import { inLanguages } from '../lib/texts.ts'

export const arrangeMessages = inLanguages('arrangeMessages', {
  open: 'Arrange the fields',
  title: (table: string) => `Fields of ${table}`,
  lead: 'Arrange the fields on record pages for everyone. Hidden fields stay available in grids and exports.',
  main: 'Main part',
  hidden: 'Not shown',
  empty: 'No fields',
  partOf: (field: string) => `Position of ${field}`,
  up: (field: string) => `Move ${field} up`,
  down: (field: string) => `Move ${field} down`,
  movedTo: (field: string, part: string, place: number, count: number) => `${field}: ${part}, ${place} of ${count}`,
  newSection: 'New section',
  addSection: 'Add',
  save: 'Save for everyone',
  arrangement: (table: string) => `arrangement of ${table}`,
})
