import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { planMigrations, readMigrations, type AppliedMigration } from '@holdfast/postgres'
import { MIGRATIONS } from './migrations.ts'

// A database of any release can be opened: what it had applied is here, unchanged, and what it lacks comes after it.

const RELEASES = fileURLToPath(new URL('../../tests/fixtures/releases/', import.meta.url))
const files = globSync('*/migrations.json', { cwd: RELEASES })

test.each(files)('the migrations of %s are kept, and later ones have higher numbers', (file) => {
  const applied = JSON.parse(readFileSync(`${RELEASES}${file}`, 'utf8')) as readonly AppliedMigration[]
  expect(applied.length).toBeGreaterThan(20)
  expect(() => planMigrations(MIGRATIONS.flatMap(readMigrations), applied)).not.toThrow()
})
