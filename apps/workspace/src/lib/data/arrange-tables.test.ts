import { afterEach, describe, expect, test, vi } from 'vitest'
import { testTable } from '../fields/test-fields.test-support.ts'
import { sectionsOf, type StoredLooks, withLooks } from './arrange-tables.ts'
import { looksOfName } from './table-looks.ts'
import { toTableInfo } from './tables.ts'

const tableOf = (name: string): ReturnType<typeof toTableInfo> => toTableInfo(testTable(name, []))

const stored = (table_name: string, rest: Partial<StoredLooks> = {}): StoredLooks => ({
  schema_name: 'public',
  table_name,
  label: null,
  icon: null,
  color: null,
  section: null,
  position: null,
  is_supporting: 0,
  translations: '{}',
  workspace_id: null,
  ...rest,
})

afterEach(() => void vi.unstubAllGlobals())

describe('looksOfName', () => {
  test.each([
    ['site', 'map-pin'],
    ['sales order', 'shopping-cart'],
    ['person', 'users'],
    ['frobnicator', 'table'],
    ['constructor', 'table'],
    ['', 'table'],
  ])('takes the icon of a usual name: %s', (noun, icon) => {
    expect(looksOfName(noun).icon).toBe(icon)
  })
})

describe('withLooks', () => {
  test('a comment that only repeats the label is no description', () => {
    const table = (comment: string): ReturnType<typeof toTableInfo> =>
      toTableInfo({ ...testTable('work_places', []), comment })
    const looks = [stored('work_places', { label: 'Places' })]
    expect(withLooks([table('Places.')], looks)[0]?.description).toBeUndefined()
    expect(withLooks([table('Where we work.')], looks)[0]?.description).toBe('Where we work.')
  })

  test('orders by position, then by label, with supporting tables at the end', () => {
    const tables = ['answers', 'actions', 'sites', 'people', 'zones'].map(tableOf)
    const looks = [
      stored('answers', { position: 1, is_supporting: 1 }),
      stored('sites', { position: 20 }),
      stored('people', { position: 10.5 }),
      stored('gone', { position: 0 }),
    ]
    expect(withLooks(tables, looks).map(({ name }) => name)).toEqual(['people', 'sites', 'actions', 'zones', 'answers'])
  })

  test('takes what was given, and for the rest what follows from the name', () => {
    const [site] = withLooks(
      [tableOf('sites')],
      [stored('sites', { label: 'Pumping stations', icon: 'zap', color: 'violet', section: 'Network' })],
    )
    expect(site).toMatchObject({
      label: 'Pumping stations',
      noun: 'pumping station',
      many: 'pumping stations',
      icon: 'zap',
      colour: 'violet',
      section: 'Network',
    })
    const [other] = withLooks([tableOf('sites')], [stored('sites')])
    expect(other).toEqual(tableOf('sites'))
  })

  test('passes over icons and colours that it does not know, as a newer app may have them', () => {
    const looks = [stored('sites', { icon: 'hovercraft', color: 'ultraviolet' })]
    expect(withLooks([tableOf('sites')], looks)[0]).toMatchObject({ icon: 'map-pin', colour: 'slate' })
  })

  test('speaks the language of the page where the project has words of it, and else the one that it was written in', () => {
    const translations = '{"de": {"label": "Pumpwerke", "one": "Pumpwerk", "section": "Netz"}}'
    const looks = [stored('sites', { label: 'Stations', section: 'Network', translations })]
    expect(withLooks([tableOf('sites')], looks)[0]).toMatchObject({ label: 'Stations', section: 'Network' })
    vi.stubGlobal('document', { documentElement: { lang: 'de' } })
    const german = { label: 'Pumpwerke', noun: 'Pumpwerk', many: 'Pumpwerke', section: 'Netz' }
    expect(withLooks([tableOf('sites')], looks)[0]).toMatchObject(german)
    const short = stored('sites', { label: 'Stations', translations: '{"de": {"label": "Werke"}}' })
    expect(withLooks([tableOf('sites')], [short])[0]).toMatchObject({ label: 'Werke', noun: 'Werke' })
    const others = ['{"de": {"label": " "}}', '{"fr": {"label": "Sites"}}', '{"de": {"label": 1}}', 'no JSON', '[]']
    for (const text of others) {
      const looks = [stored('sites', { label: 'Stations', translations: text })]
      expect(withLooks([tableOf('sites')], looks)[0], text).toMatchObject({ label: 'Stations', noun: 'station' })
    }
  })

  test('is about the table of that schema', () => {
    const looks = [stored('sites', { schema_name: 'other', icon: 'zap' })]
    expect(withLooks([tableOf('sites')], looks)[0]?.icon).toBe('map-pin')
  })
})

test('sectionsOf keeps together what stands under one heading, in the order of the first of each', () => {
  const looks = [
    stored('actions', { position: 1 }),
    stored('sites', { position: 2, section: 'Network' }),
    stored('people', { position: 3 }),
    stored('assets', { position: 4, section: 'Network' }),
  ]
  const sections = sectionsOf(withLooks(['actions', 'assets', 'people', 'sites'].map(tableOf), looks))
  expect(sections.map(({ title, tables }) => [title, tables.map(({ name }) => name)])).toEqual([
    [undefined, ['actions', 'people']],
    ['Network', ['sites', 'assets']],
  ])
})
test('a table that was made for a workspace is in the lists of that workspace only', () => {
  const tables = [tableOf('valves'), tableOf('sites')]
  const looks = [stored('valves', { workspace_id: 'a' })]
  const namesFor = (workspaces?: ReadonlySet<string>): readonly string[] =>
    withLooks(tables, looks, workspaces).map(({ name }) => name)
  expect(namesFor(new Set(['a', 'b']))).toEqual(['sites', 'valves'])
  expect(namesFor(new Set(['b']))).toEqual(['sites'])
  expect(namesFor(undefined)).toEqual(['sites', 'valves'])
})
