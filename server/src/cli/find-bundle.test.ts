import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findBundle } from './find-bundle.ts'

let root: string
let folder: URL

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-bundle-'))
  mkdirSync(join(root, 'bundle'))
  folder = pathToFileURL(`${join(root, 'bundle')}/`)
  writeFileSync(join(root, '.tsbuildinfo'), 'the last build')
  const hash = createHash('sha1').update('the last build').digest('hex')
  writeFileSync(join(root, 'bundle/built-from.json'), JSON.stringify({ '../.tsbuildinfo': hash }))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('is the bundle of the last build', () => {
  expect(findBundle(folder)?.href).toBe(new URL('run.js', folder).href)
})

test('is none when a package was built again, or its build is gone', () => {
  writeFileSync(join(root, '.tsbuildinfo'), 'a later build')
  expect(findBundle(folder)).toBeUndefined()
  rmSync(join(root, '.tsbuildinfo'))
  expect(findBundle(folder)).toBeUndefined()
})

test('is none when none was made', () => {
  rmSync(join(root, 'bundle'), { recursive: true })
  expect(findBundle(folder)).toBeUndefined()
})
