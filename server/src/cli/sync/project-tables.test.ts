import { expect, test } from 'vitest'
import { projectTablesFirst } from './project-tables.ts'

const TABLES = ['holdfast.views', 'public.notes', 'holdfast.history', 'crm.people'].map((table) => ({ table }))

test.each([
  { title: 'without those of Holdfast', options: { all: false }, shown: ['public.notes', 'crm.people'], hidden: 2 },
  {
    title: 'with all, those of Holdfast last',
    options: { all: true },
    shown: ['public.notes', 'crm.people', 'holdfast.views', 'holdfast.history'],
    hidden: 0,
  },
  {
    title: 'with one of Holdfast that has a problem',
    options: { all: false, isProblem: ({ table }: { readonly table: string }) => table === 'holdfast.history' },
    shown: ['public.notes', 'crm.people', 'holdfast.history'],
    hidden: 1,
  },
])('the tables of the project come first: $title', ({ options, shown, hidden }) => {
  expect(projectTablesFirst(TABLES, options)).toEqual({ shown: shown.map((table) => ({ table })), hidden })
})
