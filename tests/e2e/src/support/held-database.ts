import type { Page } from '@playwright/test'
import type { CommonPowerSyncDatabase } from '@powersync/common'
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
  await exposeDatabase(page)
  await page.evaluate(async () => {
    const { openedDatabase } = globalThis as unknown as { openedDatabase: CommonPowerSyncDatabase }
    const held = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    const ended = openedDatabase.writeLock(async () => {
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

/**
 * Holds reads of a page's own local database whose SQL matches, as a slow device would; the others go on. The page must not be loaded again meanwhile.
 */
export async function holdReads(page: Page, pattern: RegExp): Promise<HeldDatabase> {
  await exposeDatabase(page)
  const name = `releaseReads${crypto.randomUUID()}`
  await page.evaluate(
    ([source, name]) => {
      const { openedDatabase: database } = globalThis as unknown as { openedDatabase: CommonPowerSyncDatabase }
      const slow = new RegExp(source)
      const held = Promise.withResolvers<void>()
      Object.assign(globalThis, { [name]: held.resolve })
      const { get, getAll, readLock } = database
      // Reads of one moment go together, in one lock.
      database.readLock = (callback) =>
        readLock.call(database, (connection) => {
          const read = connection.getAll.bind(connection)
          connection.getAll = async (sql, parameters) => {
            if (slow.test(sql)) await held.promise
            return read(sql, parameters) as never
          }
          return callback(connection)
        }) as never
      database.get = async (sql, parameters) => {
        if (slow.test(sql)) await held.promise
        return get.call(database, sql, parameters) as never
      }
      database.getAll = async (sql, parameters) => {
        if (slow.test(sql)) await held.promise
        return getAll.call(database, sql, parameters) as never
      }
    },
    [pattern.source, name] as const,
  )
  return {
    release: () => page.evaluate((of) => (globalThis as unknown as Record<string, () => void>)[of]?.(), name),
  }
}

/** Finds the database that the app has open, and keeps it where the next evaluation finds it. */
async function exposeDatabase(page: Page): Promise<void> {
  await page.evaluate(() => {
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
    Object.assign(globalThis, { openedDatabase: state.local.database })
  })
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
