import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  foldName,
  isLocalColumnName,
  isLocalTableName,
  localColumnNames,
  localTableNames,
  tablesOfLocalName,
  type QualifiedName,
} from './local-names.ts'

const runs = runsOf(500, { variable: 'HOLDFAST_NAME_RUNS' })

/** Name parts that are reserved, case-folded, parsed, or similar to mapped names. */
const piece = fc.constantFrom(
  ...'sqlite ps hf powersync _ __ _crud _data__ _local json_each a A b B id ID'.split(' '),
  ...`. [ ] " ' \\ $ $2e$ $s$ $u1$ $u 2e s 1 ä Ä _deleted true`.split(' '),
  '\n',
  ' ',
)
const name = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''))
const table = fc.record({ schema: fc.oneof(fc.constantFrom('public', 'holdfast', 'a', 'A', 'a__b'), name), name })
const tables = fc.uniqueArray(table, { maxLength: 8, selector: ({ schema, name }) => JSON.stringify([schema, name]) })
const columns = fc.uniqueArray(name, { minLength: 1, maxLength: 10 })

const localOf = (tables: readonly QualifiedName[]): readonly string[] => [...localTableNames(tables).values()]
const columnsOf = (columns: readonly string[], key: readonly string[] = ['id']): unknown =>
  Object.fromEntries(localColumnNames(columns, key))

describe('the names of tables on a device', () => {
  test.each<[title: string, schema: string, name: string, local: string]>([
    ['an ordinary one', 'public', 'sites', 'sites'],
    ['one with a capital, a space, a dollar sign', 'public', 'My $ites', 'My $ites'],
    ["one of Holdfast's", 'holdfast', 'members', 'hf_members'],
    ['one of another schema', 'crm', 'leads', 'crm__leads'],
    ['one that only begins like PowerSync', 'public', 'ps_orders', 'ps_orders'],
    ["one of SQLite's", 'public', 'sqlite_export', 'sqlite$_export'],
    ['in capitals', 'public', 'SQLite_export', 'SQLite$_export'],
    ["one of PowerSync's", 'public', 'ps_crud', 'ps$_crud'],
    ['one that an index of PowerSync has', 'public', 'ps_buckets_name', 'ps$_buckets_name'],
    ['one of its tables for rows', 'public', 'ps_data__x', 'ps$_data__x'],
    ['a table-valued function', 'public', 'json_each', 'json_each$'],
    ['one that the kit keeps', 'public', 'hf_local_drafts', 'hf$_local_drafts'],
    ['one that is what another becomes', 'public', 'sqlite$_export', 'sqlite$$_export'],
    ['one with a dot', 'public', 'No.', 'No$2e$'],
    ['one that looks escaped', 'public', 'No$2e$', 'No$24$2e$24$'],
  ])('%s: %s.%s is %s', (_, schema, name, local) => {
    expect(localOf([{ schema, name }])).toEqual([local])
    expect(tablesOfLocalName(local)).toContainEqual({ schema, name })
  })

  test('that differ in the case of letters: the one without capitals keeps its name', () => {
    const of = (...names: readonly string[]) => localOf(names.map((name) => ({ schema: 'public', name })))
    expect(of('E5Case', 'e5case', 'E5CASE')).toEqual(['E5Case$u3$', 'e5case', 'E5CASE$u1f$'])
    expect(of('E5Case')).toEqual(['E5Case'])
    expect(of('User', 'USER')).toEqual(['User$u1$', 'USER$uf$'])
    expect(of('ä', 'Ä')).toEqual(['ä', 'Ä'])
  })

  test('that several schemas have: the one of public keeps it, and none takes one of Holdfast', () => {
    const names = localTableNames([
      { schema: 'public', name: 'a__b__c' },
      { schema: 'a', name: 'b__c' },
      { schema: 'a__b', name: 'c' },
      { schema: 'public', name: 'hf_members' },
      { schema: 'holdfast', name: 'members' },
    ])
    expect([...names.values()].toSorted()).toEqual([
      'a$s$b__c',
      'a__b$s$c',
      'a__b__c',
      'hf_members',
      'public$s$hf_members',
    ])
    expect(tablesOfLocalName('hf_members')[0]).toEqual({ schema: 'holdfast', name: 'members' })
  })

  test('are distinct in SQLite, usable there, and lead back to their tables, whatever the tables are called', () => {
    fc.assert(
      fc.property(tables, (tables) => {
        const names = localTableNames(tables)
        expect(new Set([...names.values()].map(foldName)).size).toBe(tables.length)
        const exists = ({ schema, name }: QualifiedName): boolean =>
          tables.some((one) => one.schema === schema && one.name === name)
        for (const [{ schema, name }, local] of names) {
          expect(isLocalTableName(local)).toBe(true)
          expect(tablesOfLocalName(local).find(exists)).toEqual({ schema, name })
        }
      }),
      { numRuns: runs },
    )
  })

  test('do not depend on the order of the tables', () => {
    fc.assert(
      fc.property(tables, (tables) => {
        const reversed = localTableNames(tables.toReversed())
        for (const [table, local] of localTableNames(tables)) expect(reversed.get(table)).toBe(local)
      }),
      { numRuns: runs },
    )
  })
})

describe('the names of columns on a device', () => {
  test('are their own, but for those that SQLite, the SDK or JSON paths read otherwise', () => {
    expect(
      columnsOf([
        'id',
        'name',
        'No.',
        'x[0]',
        '$.a',
        '.5',
        '[',
        'a"b',
        '_deleted',
        '_METADATA',
        'true',
        '_deleted$',
        '$type',
      ]),
    ).toEqual({
      id: 'id',
      name: 'name',
      'No.': 'No$2e$',
      'x[0]': 'x$5b$0]',
      '$.a': '$24$$2e$a',
      '.5': '$2e$5',
      '[': '$5b$',
      'a"b': 'a$22$b',
      _deleted: '_deleted$',
      _METADATA: '_METADATA$',
      true: 'true$',
      _deleted$: '_deleted$$',
      $type: '$type',
    })
  })

  test('that differ in the case of letters are two', () => {
    expect(columnsOf(['Name', 'name', 'Other', 'ä', 'Ä'])).toEqual({
      Name: 'Name$u1$',
      name: 'name',
      Other: 'Other',
      ä: 'ä',
      Ä: 'Ä',
    })
  })

  test('leave `id` to the key of the record', () => {
    expect(columnsOf(['id', 'a'])).toEqual({ id: 'id', a: 'a' })
    expect(columnsOf(['id', 'a'], ['a', 'id'])).toEqual({ id: 'id_', a: 'a' })
    expect(columnsOf(['id', 'Id_'], ['a'])).toEqual({ id: 'id__', Id_: 'Id_' })
    expect(columnsOf(['id', 'ID'])).toEqual({ id: 'id', ID: 'id_' })
    expect(columnsOf(['Id', 'ID', 'a'], ['a'])).toEqual({ Id: 'id__', ID: 'id_', a: 'a' })
  })

  test('are distinct in SQLite and usable there, whatever the columns are called', () => {
    fc.assert(
      fc.property(columns, fc.boolean(), (columns, hasId) => {
        const names = localColumnNames(columns, hasId ? ['id'] : [columns[0] ?? ''])
        expect(new Set([...names.values()].map(foldName)).size).toBe(columns.length)
        for (const local of names.values()) expect(isLocalColumnName(local)).toBe(true)
      }),
      { numRuns: runs },
    )
  })
})
