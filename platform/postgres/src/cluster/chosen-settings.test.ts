import { describe, expect, test } from 'vitest'
import { parseChosenSettings } from './chosen-settings.ts'
import { fixedSettings } from './settings.ts'

describe('settings of the packaged Postgres', () => {
  test.each([
    { title: 'none', parts: [], expected: {} },
    {
      title: 'memory',
      parts: ['shared_buffers=1GB', 'Work_Mem = 16MB'],
      expected: { shared_buffers: '1GB', work_mem: '16MB' },
    },
    {
      title: 'a value with commas',
      parts: ['shared_preload_libraries=auto_explain', 'pg_stat_statements', 'max_connections=200'],
      expected: { shared_preload_libraries: 'auto_explain,pg_stat_statements', max_connections: '200' },
    },
    {
      title: 'one of an extension',
      parts: ['pg_stat_statements.max=1000'],
      expected: { 'pg_stat_statements.max': '1000' },
    },
  ])('are read: $title', ({ parts, expected }) => {
    expect(parseChosenSettings(parts)).toEqual(expected)
  })

  test.each([
    ['wal_level=minimal', 'logical decoding'],
    ['WAL_LEVEL=logical', 'logical decoding'],
    ['fsync=off', 'survive a crash'],
    ['synchronous_commit=off', 'survive a crash'],
    ['session_replication_role=replica', 'in force in every session'],
    ['event_triggers=off', 'in force in every session'],
    ['max_connections=20', '80 or more'],
    ['max_replication_slots=many', '4 or more'],
    ['work_mem', 'is not a setting'],
    ['work mem=1MB', 'is not a setting'],
    ['work_mem=', 'no value'],
    ['work_mem=1MB\nfsync = off', 'no value that fits in a line'],
  ])('%j is refused with the reason', (part, reason) => {
    expect(() => parseChosenSettings([part])).toThrow(reason)
  })

  test('one that is set twice is refused', () => {
    expect(() => parseChosenSettings(['work_mem=1MB', 'work_mem=2MB'])).toThrow('work_mem is set twice.')
  })

  test('what Holdfast sets on the command line cannot be chosen', () => {
    const fixed = fixedSettings(1, 'name').filter((argument) => argument !== '-c')
    expect(fixed.length).toBeGreaterThan(5)
    for (const argument of fixed) {
      const [name = ''] = argument.split('=')
      expect(() => parseChosenSettings([`${name}=x`]), name).toThrow(`${name} cannot be chosen`)
    }
  })
})
