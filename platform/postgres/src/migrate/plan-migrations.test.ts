import { describe, expect, test } from 'vitest'
import type { Migration } from './migration.ts'
import { planMigrations } from './plan-migrations.ts'

const migration = (source: string, name: string, checksum = 'a'): Migration => ({ source, name, checksum, sql: '' })
const names = (migrations: readonly Migration[]): readonly string[] =>
  migrations.map(({ source, name }) => `${source}/${name}`)

describe('planMigrations', () => {
  const all = [migration('platform', '0001_a'), migration('platform', '0002_b'), migration('auth', '0001_a')]

  test('takes everything for a new database, in the order given', () => {
    expect(names(planMigrations(all, []))).toEqual(['platform/0001_a', 'platform/0002_b', 'auth/0001_a'])
  })

  test('takes what has not been applied', () => {
    expect(names(planMigrations(all, [migration('platform', '0001_a'), migration('auth', '0001_a')]))).toEqual([
      'platform/0002_b',
    ])
  })

  test('refuses a file that is not what was applied', () => {
    expect(() => planMigrations(all, [migration('platform', '0001_a', 'changed')])).toThrow(
      'platform/0001_a is not the one that was applied',
    )
  })

  test('refuses a database of a newer release', () => {
    expect(() => planMigrations(all, [migration('platform', '0003_c')])).toThrow(
      'platform/0003_c, which this release does not know',
    )
  })

  test('refuses a file that would have had to come earlier', () => {
    expect(() => planMigrations(all, [migration('platform', '0002_b')])).toThrow('platform/0001_a comes before 0002_b')
  })

  test('does not look at sources that are not asked for', () => {
    expect(planMigrations([], [migration('sample', '0001_a')])).toEqual([])
  })
})
