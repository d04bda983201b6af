import { fileURLToPath } from 'node:url'
import { expect, test, type Page } from '@playwright/test'
import { rolldown } from 'rolldown'

/*
 * The stores of files in a browser pass the cases that the one in a folder passes (`clients/client/src/attachments/files/`). They run in the page itself; nothing of
 * the app is needed. Browsers that have less are Chromium without what they lack.
 */

const ORIGIN = 'http://localhost:7699'
const source = (name: string): string =>
  fileURLToPath(new URL(`../../../clients/client/src/attachments/files/${name}`, import.meta.url))

/** The store and its cases as one script that puts them on `window`. */
async function bundleCases(): Promise<string> {
  const entry = 'file-store-in-a-page'
  const build = await rolldown({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) =>
          id === entry
            ? `import { browserFiles } from ${JSON.stringify(source('browser-files.ts'))}
               import { fileStoreCases } from ${JSON.stringify(source('file-store-cases.test-support.ts'))}
               window.kit = { browserFiles, fileStoreCases }`
            : undefined,
      },
    ],
  })
  const { output } = await build.generate({ format: 'iife', codeSplitting: false })
  return output[0].code
}

interface Kit {
  readonly browserFiles: (folder: string) => (userId: string) => Promise<unknown>
  readonly fileStoreCases: readonly {
    readonly title: string
    readonly run: (open: (userId: string) => Promise<unknown>) => Promise<void>
  }[]
}

interface Browser {
  readonly name: string
  /** Takes away what the browser does not have. */
  readonly lacks: () => void
  readonly keepsFiles: boolean
}

const BROWSERS: readonly Browser[] = [
  { name: 'a browser', lacks: () => undefined, keepsFiles: true },
  {
    name: 'a browser whose private files only workers write',
    lacks: () => Reflect.deleteProperty(FileSystemFileHandle.prototype, 'createWritable'),
    keepsFiles: true,
  },
  {
    name: 'a browser without private files',
    lacks: () => Object.defineProperty(navigator, 'storage', { value: undefined }),
    keepsFiles: true,
  },
  {
    name: 'a private window that forbids private files',
    lacks: () => {
      StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException('Not here', 'SecurityError'))
    },
    keepsFiles: true,
  },
  {
    name: 'a browser that keeps nothing',
    lacks: () => {
      Object.defineProperty(navigator, 'storage', { value: undefined })
      Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
    },
    keepsFiles: false,
  },
]

async function openPage(page: Page, { lacks }: Browser): Promise<void> {
  await page.route(`${ORIGIN}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.addInitScript(lacks)
  await page.addInitScript(await bundleCases())
  await page.goto(ORIGIN)
}

for (const browser of BROWSERS) {
  test(`files in ${browser.name}: written whole, one person at a time`, async ({ page }) => {
    await openPage(page, browser)
    const outcomes = await page.evaluate(async () => {
      const { browserFiles, fileStoreCases } = (globalThis as unknown as { kit: Kit }).kit
      const done: string[] = []
      for (const [index, { title, run }] of fileStoreCases.entries()) {
        const outcome = await run(browserFiles(`case-${index}`)).then(
          () => 'passed',
          (error: unknown) => String(error),
        )
        done.push(`${title}: ${outcome}`)
      }
      return done
    })
    expect(outcomes.length).toBeGreaterThan(5)
    expect(outcomes.filter((outcome) => !outcome.endsWith(': passed'))).toEqual([])
  })

  test(`files in ${browser.name} are ${browser.keepsFiles ? '' : 'not '}there after the page was loaded again`, async ({
    page,
  }) => {
    await openPage(page, browser)
    await page.evaluate(writeFile)
    await page.reload()
    expect(await page.evaluate(readFile)).toBe(browser.keepsFiles ? 'taken off line' : undefined)
  })
}

test('files stay where they are when the browser learns to write private files', async ({ page }) => {
  const [now, before] = BROWSERS
  if (!now || !before) throw new Error('there are two')
  await openPage(page, before)
  await page.evaluate(writeFile)
  const after = await page.context().newPage()
  await openPage(after, now)
  expect(await after.evaluate(readFile)).toBe('taken off line')
})

interface Store {
  write(name: string, bytes: Blob): Promise<number>
  read(name: string): Promise<Blob | undefined>
}

async function writeFile(): Promise<void> {
  const { browserFiles } = (globalThis as unknown as { kit: Kit }).kit
  await ((await browserFiles('kept')('dana')) as Store).write('photo', new Blob(['taken off line']))
}

async function readFile(): Promise<string | undefined> {
  const { browserFiles } = (globalThis as unknown as { kit: Kit }).kit
  return (await ((await browserFiles('kept')('dana')) as Store).read('photo'))?.text()
}
