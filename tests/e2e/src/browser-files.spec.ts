import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { rolldown } from 'rolldown'

/*
 * The store of files in a browser passes the cases that the one in a folder passes (`clients/client/src/attachments/files/`). They run in the page itself, in
 * Chromium's own origin private file system; nothing of the app is needed.
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
  const { output } = await build.generate({ format: 'iife' })
  return output[0].code
}

interface Kit {
  readonly browserFiles: (folder: string) => (userId: string) => Promise<unknown>
  readonly fileStoreCases: readonly {
    readonly title: string
    readonly run: (open: (userId: string) => Promise<unknown>) => Promise<void>
  }[]
}

test('files in the browser: written whole, kept, one person at a time', async ({ page }) => {
  const script = await bundleCases()
  await page.route(`${ORIGIN}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto(ORIGIN)
  await page.addScriptTag({ content: script })
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

test('files in the browser are there after the page was loaded again', async ({ page }) => {
  const script = await bundleCases()
  await page.route(`${ORIGIN}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto(ORIGIN)
  await page.addScriptTag({ content: script })
  await page.evaluate(async () => {
    const { browserFiles } = (globalThis as unknown as { kit: Kit }).kit
    const store = (await browserFiles('kept')('dana')) as { write(name: string, bytes: Blob): Promise<number> }
    await store.write('photo', new Blob(['taken off line']))
  })
  await page.reload()
  await page.addScriptTag({ content: script })
  const text = await page.evaluate(async () => {
    const { browserFiles } = (globalThis as unknown as { kit: Kit }).kit
    const store = (await browserFiles('kept')('dana')) as { read(name: string): Promise<Blob | undefined> }
    return (await store.read('photo'))?.text()
  })
  expect(text).toBe('taken off line')
})
