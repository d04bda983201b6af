import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stageDocs, summaryOf } from './stage-docs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'holdfast-docs-'))
beforeAll(() => stageDocs(ROOT, folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const linksIn = (file: string): readonly string[] =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = '']) => to.split('#')[0] ?? '')
    .filter((to) => to !== '' && !/^[a-z]+:/.test(to))

test('every page of the list is in the package, with what it is about', () => {
  const pages = linksIn('llms.txt')
  expect(pages.length).toBeGreaterThan(40)
  expect(pages.filter((page) => !existsSync(join(folder, page)))).toEqual([])
  const entries = readFileSync(join(folder, 'llms.txt'), 'utf8').match(/^- .*$/gm) ?? []
  expect(entries.filter((line) => !/\): .*\w.*\.$/.test(line))).toEqual([])
})

test('no link of a page leads out of the package', () => {
  const lost = linksIn('llms.txt').flatMap((page) =>
    linksIn(page)
      .filter((to) => !existsSync(join(folder, dirname(page), to)))
      .map((to) => `${page}: ${to}`),
  )
  expect(lost).toEqual([])
})

test.each([
  ['# T\n\nOne line. Another.', 'One line.'],
  ['# T\n\nOver\ntwo lines, with a [link](a.md): and more', 'Over two lines, with a link.'],
  ['# T\n\n| a |\n|---|\n\n`code` first, **then** more. And so on', '`code` first, then more.'],
])('the summary of a page is its first sentence', (page, summary) => {
  expect(summaryOf(page)).toBe(summary)
})
