import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  chromium,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
  type Page,
} from '@playwright/test'

export interface BrowserProfile extends AsyncDisposable {
  readonly context: BrowserContext
  /** The tab with which the browser starts. */
  readonly page: Page
}

/**
 * Starts a browser with a profile of its own in a temporary folder, as people have one.
 *
 * The contexts of one shared browser are private windows: they keep their files in the memory of the browser's process, so that each read and write of SQLite is
 * a message to it. A first sync takes twice the processor time there, and a device that is full is not what it is for people.
 */
export async function openProfile(
  launchOptions: LaunchOptions,
  contextOptions: BrowserContextOptions,
): Promise<BrowserProfile> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-profile-'))
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 10 })
  try {
    const context = await chromium.launchPersistentContext(folder, { ...launchOptions, ...contextOptions })
    const page = context.pages()[0] ?? (await context.newPage())
    return {
      context,
      page,
      async [Symbol.asyncDispose]() {
        await context.close()
        await removeFolder()
      },
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}
