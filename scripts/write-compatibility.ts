/**
 * Writes the pages of `docs/compatibility` from the titles of conformance tests: `npm run compatibility`. With `--check` it writes nothing and fails if a
 * page is out of date.
 *
 * A page is `tests/conformance/pages/<name>.md`, written by hand, with tables instead of its line `<!-- tests -->`. Titles follow one scheme:
 * `describe('auth.signUp')` names the call, `describe('refused')` and `describe('offline')` inside it the column, and the title of a test says what the
 * call does. Tests outside a call's `describe` are listed under their own heading. A sentence that fills many cells of a column is printed once, above.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createVitest, type TestCase, type TestModule } from 'vitest/node'

const PLACE = '<!-- tests -->'
const FOLDER = 'docs/compatibility'
const SOURCES = 'tests/conformance/pages'

/** Number of equal cells in a column from which on their text is printed once, above the tables. */
const COMMON_CELLS_MIN = 12

interface Page {
  /** Name of the page and its source, and prefix of its test files. */
  readonly name: string
  /** Returns the heading of an object with calls; `describe('auth.admin.getUser')` is a call of `auth.admin`. */
  readonly headingOf: (object: string) => string
  /** Prefixes of client calls; `describe('auth.signUp')` is a call on a page with `auth.`. */
  readonly calls: readonly string[]
  /** Columns of the call tables. */
  readonly columns: readonly Column[]
  /** Test files to exclude, which test the tests. */
  readonly without: readonly string[]
}

type Column = 'does' | 'refused' | 'offline'

const REST_HEADINGS: Readonly<Record<string, string>> = {
  client: '`supabase`',
  table: '`supabase.from(…)`',
  filter: 'Filters',
  modifier: 'Modifiers',
  answer: 'Answers',
}

const SYNC_HEADINGS: Readonly<Record<string, string>> = {
  database: '`PowerSyncDatabase`',
  options: '`connect(…, options)`',
  connector: 'Connectors',
  stream: '`database.syncStream(…)`',
  subscription: 'Subscriptions',
  status: '`database.currentStatus`',
  table: '`new Table(…, options)`',
  rawTables: '`schema.withRawTables(…)`',
}

const STORAGE_HEADINGS: Readonly<Record<string, string>> = {
  bucket: '`supabase.storage`',
  file: '`supabase.storage.from(…)`',
}

const REALTIME_HEADINGS: Readonly<Record<string, string>> = {
  realtime: '`supabase.realtime`',
  channel: '`supabase.channel(…)`',
}

const FUNCTIONS_HEADINGS: Readonly<Record<string, string>> = {
  functions: '`supabase.functions`',
}

const PAGES: readonly Page[] = [
  {
    name: 'auth',
    calls: ['auth.'],
    headingOf: (object) => `\`supabase.${object}\``,
    columns: ['does', 'refused', 'offline'],
    without: ['auth-coverage.test.ts'],
  },
  {
    name: 'rest',
    calls: Object.keys(REST_HEADINGS).map((object) => `${object}.`),
    headingOf: (object) => REST_HEADINGS[object] ?? object,
    columns: ['does', 'refused'],
    without: ['rest-coverage.test.ts'],
  },
  {
    name: 'sync',
    calls: Object.keys(SYNC_HEADINGS).map((object) => `${object}.`),
    headingOf: (object) => SYNC_HEADINGS[object] ?? object,
    columns: ['does', 'refused'],
    without: ['sync-coverage.test.ts'],
  },
  {
    name: 'storage',
    calls: Object.keys(STORAGE_HEADINGS).map((object) => `${object}.`),
    headingOf: (object) => STORAGE_HEADINGS[object] ?? object,
    columns: ['does', 'refused'],
    without: ['storage-coverage.test.ts'],
  },
  {
    name: 'realtime',
    calls: Object.keys(REALTIME_HEADINGS).map((object) => `${object}.`),
    headingOf: (object) => REALTIME_HEADINGS[object] ?? object,
    columns: ['does', 'refused'],
    without: ['realtime-coverage.test.ts'],
  },
  {
    name: 'functions',
    calls: Object.keys(FUNCTIONS_HEADINGS).map((object) => `${object}.`),
    headingOf: (object) => FUNCTIONS_HEADINGS[object] ?? object,
    columns: ['does', 'refused'],
    without: ['functions-coverage.test.ts'],
  },
]

const COLUMN_TITLES: Readonly<Record<Column, string>> = { does: 'does', refused: 'refusals', offline: 'offline' }

/** The tests of a call or another subject. */
interface Row {
  readonly title: string
  readonly sentences: Readonly<Record<Column, string[]>>
}

/** Collects the tests of all pages at once. Files share a worker, so that imports are evaluated once; no test runs. */
async function collectModules(): Promise<readonly TestModule[]> {
  const vitest = await createVitest('test', { project: ['conformance'], watch: false, reporters: [], isolate: false })
  try {
    const { testModules, unhandledErrors } = await vitest.collect(
      PAGES.map((page) => `tests/conformance/src/${page.name}`),
      { staticParse: false }, // titles of tables have to be filled in
    )
    const broken = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())]
    if (broken.length > 0) throw new AggregateError(broken, 'the conformance tests cannot be read')
    return testModules.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId))
  } finally {
    await vitest.close()
  }
}

function testsOf(page: Page, modules: readonly TestModule[]): readonly TestCase[] {
  return modules
    .filter(({ moduleId }) => basename(moduleId).startsWith(page.name))
    .filter(({ moduleId }) => !page.without.includes(basename(moduleId)))
    .flatMap((module) => [...module.children.allTests()])
}

/** Returns the titles around a test, outermost first. */
function pathOf(test: TestCase): string[] {
  const path: string[] = []
  for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) path.unshift(parent.name)
  return path
}

function columnOf(path: readonly string[], title: string): Column {
  if (path.includes('offline')) return 'offline'
  if (path.includes('refused') || /^(?:refuses|is refused|are refused)\b/.test(title)) return 'refused'
  return 'does'
}

function toRows(tests: readonly TestCase[]): Row[] {
  const rows = new Map<string, Row>()
  for (const test of tests) {
    const path = pathOf(test)
    const [title = test.name, ...within] = path
    const row = rows.get(title) ?? { title, sentences: { does: [], refused: [], offline: [] } }
    rows.set(title, row)
    const circumstances = within.filter((part) => part !== 'refused' && part !== 'offline')
    row.sentences[columnOf(path, test.name)].push([...circumstances, test.name].join(': '))
  }
  return [...rows.values()]
}

/** Returns `auth.admin.mfa` for `auth.admin.mfa.listFactors`. */
function objectOf(call: string): string {
  return call.slice(0, call.lastIndexOf('.'))
}

function cell(sentences: readonly string[]): string {
  return sentences.map((sentence) => sentence.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;')).join(';<br>')
}

/** Returns the text that fills most cells of a column, for columns in which it is frequent. */
function commonCells(page: Page, calls: readonly Row[]): ReadonlyMap<Column, string> {
  const common = new Map<Column, string>()
  for (const column of page.columns) {
    const counts = new Map<string, number>()
    for (const { sentences } of calls) {
      const text = cell(sentences[column])
      if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
    if (first && first[1] >= COMMON_CELLS_MIN) common.set(column, first[0])
  }
  return common
}

function renderTables(page: Page, rows: readonly Row[]): string {
  const isCall = ({ title }: Row): boolean => page.calls.some((start) => title.startsWith(start))
  const calls = rows.filter(isCall)
  const common = commonCells(page, calls)
  const known = page.calls.map((start) => start.slice(0, -1))
  const rank = (object: string): number => (known.includes(object) ? known.indexOf(object) : known.length)
  const objects = [...new Set(calls.map(({ title }) => objectOf(title)))].sort(
    (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  )
  const tables = objects.map((object) => {
    const lines = calls
      .filter(({ title }) => objectOf(title) === object)
      .sort((a, b) => a.title.localeCompare(b.title))
      .map(({ title, sentences }) => {
        const cells = page.columns.map((column) => {
          const text = cell(sentences[column])
          return text !== '' && text === common.get(column) ? '*as above*' : text
        })
        return `| \`${title.slice(object.length + 1)}\` | ${cells.join(' | ')} |`
      })
    const titles = page.columns.map((column) => COLUMN_TITLES[column])
    return [
      `### ${page.headingOf(object)}`,
      '',
      `| call | ${titles.join(' | ')} |`,
      `|---|${titles.map(() => '---').join('|')}|`,
      ...lines,
    ].join('\n')
  })
  const subjects = rows
    .filter((row) => !isCall(row))
    .sort((a, b) => a.title.localeCompare(b.title))
    .map(({ title, sentences }) => {
      const all = [...sentences.does, ...sentences.refused, ...sentences.offline]
      return [
        `### ${title.slice(0, 1).toUpperCase()}${title.slice(1)}`,
        '',
        ...all.map((sentence) => `* ${sentence}`),
      ].join('\n')
    })
  const intro = [...common].map(
    ([column, text]) => `*As above* in the column "${COLUMN_TITLES[column]}": the call ${text}.`,
  )
  return [...intro, ...tables, ...subjects].join('\n\n')
}

const modules = await collectModules()
let isStale = false
for (const page of PAGES) {
  const parts = readFileSync(`${SOURCES}/${page.name}.md`, 'utf8').split(PLACE)
  if (parts.length !== 2) throw new Error(`${SOURCES}/${page.name}.md must have one line ${PLACE}`)
  const rendered = parts.join(renderTables(page, toRows(testsOf(page, modules))))
  const path = `${FOLDER}/${page.name}.md`
  if (!process.argv.includes('--check')) writeFileSync(path, rendered)
  else if (readFileSync(path, 'utf8') !== rendered) {
    console.error(`${path} is not what the conformance tests say; write it again: npm run compatibility`)
    isStale = true
  }
}
process.exit(isStale ? 1 : 0)
