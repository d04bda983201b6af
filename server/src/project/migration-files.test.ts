import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compareHistory } from './compare-history.ts'
import { listMigrationFiles } from './migration-files.ts'

function folderWith(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of names) writeFileSync(join(folder, name), '')
  return folder
}

test('migrations are listed by version, and names that have none are told apart', () => {
  const folder = folderWith('20240102000000_second.sql', '20240101000000_first_table.sql', 'schema.sql', 'notes.md')
  const { files, skipped } = listMigrationFiles(folder)
  expect(files.map(({ version, name }) => [version, name])).toEqual([
    ['20240101000000', 'first_table'],
    ['20240102000000', 'second'],
  ])
  expect(skipped).toEqual(['schema.sql'])
})

test('a folder that does not exist has no migrations', () => {
  expect(listMigrationFiles(join(folderWith(), 'none'))).toEqual({ files: [], skipped: [] })
})

test('two files of one version are refused', () => {
  const folder = folderWith('1_one.sql', '1_other.sql')
  expect(() => listMigrationFiles(folder)).toThrowError(/1_one\.sql and .*1_other\.sql have the same version/)
})

test('what is pending, out of order and missing follows from the versions', () => {
  const { files } = listMigrationFiles(folderWith('1_a.sql', '2_b.sql', '4_d.sql', '6_f.sql'))
  const versions = (some: readonly { readonly version: string }[]): readonly string[] =>
    some.map(({ version }) => version)
  const comparison = compareHistory(files, ['3', '1', '4'])
  expect(versions(comparison.pending)).toEqual(['2', '6'])
  expect(versions(comparison.outOfOrder)).toEqual(['2'])
  expect(comparison.missing).toEqual(['3'])
  expect(versions(compareHistory(files, []).outOfOrder)).toEqual([])
})
