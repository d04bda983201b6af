import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isOwnFile } from './own-file.ts'

const HOTEL = '<!doctype html><title>Welcome</title><form action="/room"></form>'
const answer = (type: string, body = '', status = 200): Response =>
  new Response(body, { status, headers: { 'content-type': type } })

test.each([
  ['/assets/index-1.js', 'text/javascript'],
  ['/assets/wa-sqlite-1.wasm', 'application/wasm'],
  ['/assets/index-1.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'image/svg+xml'],
  ['/manifest.webmanifest', 'application/octet-stream'],
])('%s is the file as it comes, and a hotel’s page in its place is none', async (path, type) => {
  const url = `https://example.org${path}`
  expect(await isOwnFile(url, answer(type))).toBe(true)
  expect(await isOwnFile(url, answer('text/html; charset=utf-8', HOTEL))).toBe(false)
  expect(await isOwnFile(url, answer(type, '', 503))).toBe(false)
})

test('of pages the shell is known by what stands in it', async () => {
  const shell = await readFile(new URL('../../index.html', import.meta.url), 'utf8')
  const url = 'https://example.org/index.html?__WB_REVISION__=1'
  const response = answer('text/html; charset=utf-8', shell)
  expect(await isOwnFile(url, response)).toBe(true)
  expect(await response.text()).toBe(shell)
  expect(await isOwnFile(url, answer('text/html', HOTEL))).toBe(false)
  expect(await isOwnFile(url, answer('application/json', '{}'))).toBe(false)
})
