import { type CDPSession, expect, type Page } from '@playwright/test'

type WriteFile = (bytes: BufferSource, options?: { readonly at?: number }) => number

/** What a worker's files were written with before the device was full. */
interface FaultyScope {
  readonly FileSystemSyncAccessHandle: { readonly prototype: { write: WriteFile } }
  writeOfFiles?: WriteFile
}

/**
 * Makes a device that refuses each write, and one that does not. Chromium reserves room for files that are open, 1 MiB and more, so that its quota alone
 * keeps SQLite from nothing: its writes are refused where they reach the file.
 */
export async function setDeviceFull(page: Page, session: CDPSession, isFull: boolean): Promise<void> {
  const { origin } = new URL(page.url())
  await session.send('Storage.overrideQuotaForOrigin', isFull ? { origin, quotaSize: 1_000 } : { origin })
  const refuses = await Promise.all(
    page.workers().map((worker) =>
      worker.evaluate((refuse) => {
        const scope = globalThis as unknown as FaultyScope
        const files = scope.FileSystemSyncAccessHandle.prototype
        scope.writeOfFiles ??= files.write
        const refused = (): number => {
          throw new DOMException('No space available for this operation', 'QuotaExceededError')
        }
        files.write = refuse ? refused : scope.writeOfFiles
        return refuse
      }, isFull),
    ),
  )
  expect(refuses.length, 'workers that write files').toBeGreaterThan(0)
}
