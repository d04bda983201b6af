import type { HoldfastClient, RejectedChange } from '@holdfast/client'
import type { TableDescriptor } from '@holdfast/protocol'
import type { Page } from '@playwright/test'

export type LocalRow = Readonly<Record<string, string | number | null>>

/** What a page's own client knows. The app puts it on no global, so it is looked for where React keeps it: in the tree below `#root`. */
export interface LocalDevice {
  readonly tables: readonly TableDescriptor[]
  readonly rows: readonly LocalRow[]
  readonly rejected: readonly RejectedChange[]
  readonly waiting: number
  /** Which file system SQLite has, and how sync stands. */
  readonly clientId: string
}

/**
 * Reads the local database of a page through the connection that the app itself has open.
 *
 * @param query - answered in `rows`
 * @throws when the page has no open database
 */
export async function readDevice(
  page: Page,
  query?: string,
  parameters: readonly unknown[] = [],
  changes: readonly string[] = [],
): Promise<LocalDevice> {
  return page.evaluate(
    async ({ query, parameters, changes }) => {
      interface Fiber {
        readonly memoizedProps: { readonly client?: Partial<HoldfastClient> } | null
        readonly child: Fiber | null
        readonly sibling: Fiber | null
        readonly stateNode: { readonly current?: Fiber } | null
      }
      const root = document.querySelector('#root') as unknown as Record<string, Fiber> | null
      const key = Object.keys(root ?? {}).find((name) => name.startsWith('__reactContainer$'))
      let fiber: Fiber | null | undefined = key === undefined ? undefined : root?.[key]?.stateNode?.current
      let client: Partial<HoldfastClient> | undefined
      // The provider is near the top, on the way of first children.
      for (; fiber && client === undefined; fiber = fiber.child) {
        const found = fiber.memoizedProps?.client
        if (found?.device !== undefined) client = found
      }
      const state = client?.device?.get()
      if (state?.kind !== 'open') throw new Error(`the page has no open database: ${state?.kind ?? 'no client'}`)
      const { local } = state
      for (const change of changes) await local.database.execute(change)
      return {
        tables: local.schema.get().tables,
        rows: query === undefined ? [] : await local.database.getAll<LocalRow>(query, [...parameters]),
        rejected: await local.rejected.list(),
        waiting: (await local.countUnsent()).waiting,
        clientId: await local.database.getClientId(),
      }
    },
    { query, parameters, changes },
  )
}

/** Only the rows of {@link readDevice}. */
export async function readRows(
  page: Page,
  query: string,
  parameters: readonly unknown[] = [],
): Promise<readonly LocalRow[]> {
  return (await readDevice(page, query, parameters)).rows
}

/** Changes the local database of a page beneath the app, as a fault would. */
export async function changeDevice(page: Page, changes: readonly string[]): Promise<void> {
  await readDevice(page, undefined, [], changes)
}
