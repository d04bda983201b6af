import type { Page } from '@playwright/test'
import type { HoldfastClient } from '@holdfast/client'

/** The local database of a page, which answers nothing until it is released. */
export interface HeldDatabase {
  release(): Promise<void>
}

/**
 * Takes the write lock of a page's own local database, through the connection that the app has open: whatever the page asks from now on waits, without an
 * error, as it does behind a long transaction of another tab.
 */
export async function holdDatabase(page: Page): Promise<HeldDatabase> {
  await page.evaluate(async () => {
    interface Fiber {
      readonly memoizedProps: { readonly client?: Partial<HoldfastClient> } | null
      readonly child: Fiber | null
      readonly stateNode: { readonly current?: Fiber } | null
    }
    const root = document.querySelector('#root') as unknown as Record<string, Fiber> | null
    const key = Object.keys(root ?? {}).find((name) => name.startsWith('__reactContainer$'))
    let fiber: Fiber | null | undefined = key === undefined ? undefined : root?.[key]?.stateNode?.current
    let client: Partial<HoldfastClient> | undefined
    for (; fiber && client === undefined; fiber = fiber.child) {
      const found = fiber.memoizedProps?.client
      if (found?.device !== undefined) client = found
    }
    const state = client?.device?.get()
    if (state?.kind !== 'open') throw new Error('the page has no open database')
    const held = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    const ended = state.local.database.writeLock(async () => {
      taken.resolve()
      await held.promise
    })
    Object.assign(globalThis, { heldDatabase: { release: held.resolve, ended } })
    await taken.promise
  })
  return {
    release: () =>
      page.evaluate(async () => {
        const { heldDatabase } = globalThis as unknown as {
          heldDatabase: { readonly release: () => void; readonly ended: Promise<void> }
        }
        heldDatabase.release()
        await heldDatabase.ended
      }),
  }
}

/** Texts that a page must not show, each noted when it appears, however short. */
export interface WatchedTexts {
  seen(): Promise<readonly string[]>
}

export async function watchTexts(page: Page, pattern: RegExp): Promise<WatchedTexts> {
  await page.evaluate((source) => {
    const forbidden = new RegExp(source)
    const seen: string[] = []
    const look = (): void => {
      const found = forbidden.exec(document.body.innerText)?.[0]
      if (found !== undefined && seen.at(-1) !== found) seen.push(found)
    }
    look()
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
    Object.assign(globalThis, { seenTexts: seen })
  }, pattern.source)
  return {
    seen: () => page.evaluate(() => (globalThis as unknown as { seenTexts: readonly string[] }).seenTexts),
  }
}
