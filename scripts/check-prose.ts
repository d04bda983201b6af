/** Finds lines of prose in the docs that are too long; exits 1 with a line per offence. `--write` wraps them. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { findLongLines, PROSE_CHARS_MAX, wrapProse } from './prose.ts'

const isWriting = process.argv.includes('--write')

/** Without the pages that programs write (compatibility, options), and the changelog, whose entries are one line each. */
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (page) =>
      page !== '' &&
      page !== 'CHANGELOG.md' &&
      page !== 'docs/reference/options.md' &&
      !/^docs\/compatibility\/[a-z]+\.md$/.test(page),
  )

let offences = 0
for (const page of pages) {
  const text = readFileSync(page, 'utf8')
  if (isWriting) writeFileSync(page, wrapProse(text))
  for (const { line, length } of findLongLines(isWriting ? wrapProse(text) : text)) {
    console.error(`${page}:${line}: ${length} characters, and lines of prose have ${PROSE_CHARS_MAX} at most`)
    offences++
  }
}
if (offences > 0) {
  console.error('wrap them: npm run prose')
  process.exit(1)
}
console.log(`prose: ${pages.length} pages, no line is too long`)
