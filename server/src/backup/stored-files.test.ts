import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyStoredFiles } from './stored-files.ts'

let folder: string
let from: string
let to: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-stored-files-'))
  from = join(folder, 'data', 'storage')
  to = join(folder, 'backup', 'storage')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): void {
  mkdirSync(dirname(join(from, name)), { recursive: true })
  writeFileSync(join(from, name), text)
}

test('a second copy adds what has come since the first', () => {
  write('versions/ab/first', 'one')
  copyStoredFiles(from, to)
  rmSync(join(from, 'versions/ab/first'))
  write('versions/ab/second', 'two')
  write('versions/cd/third', 'three')
  copyStoredFiles(from, to)
  expect(readFileSync(join(to, 'versions/ab/first'), 'utf8')).toBe('one')
  expect(readFileSync(join(to, 'versions/ab/second'), 'utf8')).toBe('two')
  expect(readFileSync(join(to, 'versions/cd/third'), 'utf8')).toBe('three')
})

test('a file that goes while the folder is copied is left out', () => {
  write('versions/ab/kept', 'kept')
  symlinkSync(join(folder, 'gone'), join(from, 'versions/ab/going')) // listed, but cannot be opened
  copyStoredFiles(from, to)
  expect(readFileSync(join(to, 'versions/ab/kept'), 'utf8')).toBe('kept')
  expect(existsSync(join(to, 'versions/ab/going'))).toBe(false)
})

test('parts of uploads are left out', () => {
  write('unfinished/part', 'part')
  write('resumable/part', 'part')
  write('store-id', 'id')
  copyStoredFiles(from, to)
  expect(existsSync(join(to, 'unfinished'))).toBe(false)
  expect(existsSync(join(to, 'resumable'))).toBe(false)
  expect(readFileSync(join(to, 'store-id'), 'utf8')).toBe('id')
})

test('a data folder without files needs none', () => {
  copyStoredFiles(from, to)
  expect(existsSync(to)).toBe(false)
})
