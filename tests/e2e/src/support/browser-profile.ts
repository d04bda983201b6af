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
 * Starts a browser with a profile of its own, as people have one.
 *
 * The contexts of one shared browser are private windows: they keep their files in the memory of the browser's process, so that each read and write of SQLite is
 * a message to it. A first sync takes twice the processor time there, and a device that is full is not what it is for people. Their files cannot be copied either.
 *
 * @param folder - of the profile; empty for a new one
 */
export async function openProfile(
  folder: string,
  launchOptions: LaunchOptions,
  contextOptions: BrowserContextOptions,
): Promise<BrowserProfile> {
  const context = await chromium.launchPersistentContext(folder, { ...launchOptions, ...contextOptions })
  const page = context.pages()[0] ?? (await context.newPage())
  return { context, page, [Symbol.asyncDispose]: () => context.close() }
}

/** A folder that is removed at the end. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast-profile-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) }
}
