import { chmodSync, mkdtempSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeExtensionStubs } from './extension-stubs.ts'

let root: string
let dataDir: string
let shareDir: string
let control: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-extension-stubs-'))
  dataDir = join(root, 'data')
  shareDir = join(root, 'share')
  mkdirSync(dataDir)
  mkdirSync(join(shareDir, 'extension'), { recursive: true })
  control = join(dataDir, 'extensions', 'extension', 'pg_cron.control')
})

afterEach(() => rmSync(root, { recursive: true }))

test('files that are there are left alone', () => {
  writeExtensionStubs(dataDir, shareDir)
  utimesSync(control, 1, 1)
  writeExtensionStubs(dataDir, shareDir)
  expect(statSync(control).mtimeMs).toBe(1_000)
})

test('a file with other text, as an earlier version or half a write left it, is written again', () => {
  writeExtensionStubs(dataDir, shareDir)
  const text = readFileSync(control, 'utf8')
  writeFileSync(control, text.slice(0, 10))
  writeExtensionStubs(dataDir, shareDir)
  expect(readFileSync(control, 'utf8')).toBe(text)
})

test('a file that only its owner reads, as a start that was cut off left it, is made readable', () => {
  writeExtensionStubs(dataDir, shareDir)
  chmodSync(control, 0o600)
  writeExtensionStubs(dataDir, shareDir)
  expect(statSync(control).mode & 0o777).toBe(0o644)
})
