/** Finds lines of prose in the docs that are too long, broken links, paths and commands, and decisions that the index lacks; exits 1 with a line per offence. `--write` wraps the lines. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { anchorsIn, findLostReferences, type Repository } from './doc-references.ts'
import { findLongLines, PROSE_CHARS_MAX, wrapProse } from './prose.ts'

const isWriting = process.argv.includes('--write')

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file))
/** Excludes the changelog, which has one line per entry and mentions removed files. */
const pages = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')

/** Returns whether a page is generated: the compatibility pages and the list of options. */
function isWrittenByProgram(page: string): boolean {
  return page === 'docs/reference/options.md' || /^docs\/compatibility\/[a-z]+\.md$/.test(page)
}

/** Returns the folder to which a page's links are relative: for the source of a generated page, the folder of that page. */
function baseOf(page: string): string {
  const folder = dirname(page)
  return folder === 'tests/conformance/pages' ? 'docs/compatibility' : folder
}

function readRepository(): Repository {
  const folders = new Set<string>()
  for (const file of files) {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  }
  const anchors = new Map(pages.map((page) => [page, anchorsIn(readFileSync(page, 'utf8'))]))
  const scripts = ['package.json', 'clients/create-holdfast/template/package.json'].flatMap((file) =>
    Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, string> }).scripts),
  )
  return {
    paths: [...files, ...folders],
    anchorsOf: (page) => anchors.get(page),
    scripts: new Set(scripts),
  }
}

const repository = readRepository()
const offences: string[] = []
let longLines = 0
for (const page of pages) {
  const text = readFileSync(page, 'utf8')
  offences.push(...findLostReferences(text, repository, baseOf(page)).map((offence) => `${page}: ${offence}`))
  if (isWrittenByProgram(page)) continue
  if (isWriting) writeFileSync(page, wrapProse(text))
  for (const { line, length } of findLongLines(isWriting ? wrapProse(text) : text)) {
    offences.push(`${page}:${line}: ${length} characters, and lines of prose have ${PROSE_CHARS_MAX} at most`)
    longLines++
  }
}
const DECISIONS = 'docs/decisions/'
const decisions = pages
  .filter((page) => /^docs\/decisions\/\d{4}-/.test(page))
  .map((page) => page.slice(DECISIONS.length))
const index = [...readFileSync(`${DECISIONS}README.md`, 'utf8').matchAll(/^\| \[\d{4}\]\(([^)]+)\)/gm)].map(
  ([, file]) => file,
)
if (decisions.toSorted().join() !== index.join())
  offences.push(`${DECISIONS}README.md: does not list every decision, in order of their numbers`)
for (const offence of offences) console.error(offence)
if (longLines > 0) console.error('wrap the long lines: npm run prose')
if (offences.length > 0) process.exit(1)
console.log(`docs: ${pages.length} pages, no line is too long, and nothing leads nowhere`)
