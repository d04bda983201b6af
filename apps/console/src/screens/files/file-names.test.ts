import { expect, test } from 'vitest'
import {
  foldersTo,
  lastSegmentOf,
  parentOf,
  parseSize,
  previewKindOf,
  publicUrlOf,
  refusalOf,
  renderSize,
} from './file-names.ts'

test('the last segment of files and folders', () => {
  expect(['a/b.txt', 'b.txt', 'a/b/', 'b/', '/', 'a//'].map(lastSegmentOf)).toEqual([
    'b.txt',
    'b.txt',
    'b/',
    'b/',
    '/',
    '/',
  ])
})

test('the folders to a folder', () => {
  expect(foldersTo('a/b/')).toEqual(['a/', 'a/b/'])
  expect(foldersTo('')).toEqual([])
})

test('the folder of a folder', () => {
  expect(['a/b/', 'a/', 'a//', '/'].map(parentOf)).toEqual(['a/', '', 'a/', ''])
})

test('HTML and SVG are previewed as text', () => {
  const kinds = ['image/png', 'IMAGE/PNG; x=1', 'image/svg+xml', 'text/html', 'application/pdf', 'video/mp4', null]
  expect(kinds.map(previewKindOf)).toEqual(['image', 'image', 'text', 'text', 'pdf', 'none', 'none'])
})

test('sizes are read with units, and written so that they are read back', () => {
  expect(['5 MB', '1.5gb', '300', '10kb', ''].map(parseSize)).toEqual([5e6, 1.5e9, 300, 1e4, null])
  expect(['0', '-1', 'MB', '5 miles', '1e3', '9999999 TB'].map(parseSize)).toEqual(Array(6).fill(undefined))
  for (const bytes of [1, 1_000, 52_428_800, 1_234_567, 5e12]) expect(parseSize(renderSize(bytes))).toBe(bytes)
})

test('files beyond the limits of a bucket are refused before they are sent', () => {
  const bucket = { fileSizeLimit: 1_000, allowedMimeTypes: ['image/*', 'text/plain'] }
  expect(refusalOf({ size: 1_000, type: 'image/png' }, bucket, 5_000)).toBeUndefined()
  expect(refusalOf({ size: 1_001, type: 'image/png' }, bucket, 5_000)).toContain('1 KB')
  expect(refusalOf({ size: 600, type: 'text/plain' }, bucket, 500)).toContain('500 B')
  expect(refusalOf({ size: 1, type: '' }, bucket, 5_000)).toContain('application/octet-stream')
  expect(refusalOf({ size: 1, type: '' }, { fileSizeLimit: null, allowedMimeTypes: null }, 5_000)).toBeUndefined()
})

test('public addresses are encoded', () => {
  expect(publicUrlOf('https://x.example', 'a b', 'ü/?#.png')).toBe(
    'https://x.example/storage/v1/object/public/a%20b/%C3%BC/%3F%23.png',
  )
})
