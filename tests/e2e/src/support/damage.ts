import { expect } from '@playwright/test'
import type { Person } from './person.ts'

const PAGE_BYTES = 4_096

/**
 * Writes nonsense over the pages of a closed local database that have `mark` in them; without one over its first page, without which nothing can be read.
 *
 * The person's first tab leaves the app for it, and is the only one.
 */
export async function damageDatabase({ page, problems }: Person, mark?: string): Promise<void> {
  // A picture is a page of the origin on which nothing runs; Chromium's own styles for it are refused there.
  problems.expect(/^Applying inline style .*\/icon-192\.png/)
  await page.goto('/icon-192.png')
  const pages = await page.evaluate(
    async ({ mark, size }) => {
      const root = await navigator.storage.getDirectory()
      let damaged = 0
      for await (const [name, handle] of root as unknown as AsyncIterable<[string, FileSystemFileHandle]>) {
        if (!/^holdfast-.*\.db$/.test(name)) continue
        const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer())
        const text = new TextDecoder('latin1').decode(bytes)
        const file = await handle.createWritable({ keepExistingData: true })
        for (let at = 0; at < bytes.length; at += size) {
          if (mark === undefined ? at > 0 : !text.slice(at, at + size).includes(mark)) continue
          await file.write({ type: 'write', position: at, data: new Uint8Array(size).fill(0xff) })
          damaged += 1
        }
        await file.close()
      }
      return damaged
    },
    { mark, size: PAGE_BYTES },
  )
  expect(pages, 'damaged pages').toBeGreaterThan(0)
}
