/** What a page notes of itself. Its functions run in the browser: they use nothing of this file but what is in them. */
import type { Page } from '@playwright/test'

/** Marks of `performance` that pages are given. */
export const MARK = { firstRows: 'first rows', pressed: 'pressed' } as const

/** Drawn rows of a grid or list that have been read, and cells of the plain page. */
export const ROW =
  '[role=grid] [data-open], [role=treegrid] [data-open], li[aria-posinset] > button, td[contenteditable]'

interface Interaction {
  readonly id: number
  readonly ms: number
}

/** In the page, as `benchProbe`. */
interface Probe {
  /** Event Timing entries that belong to interactions. */
  readonly interactions: Interaction[]
  /** Hands over what was measured but not delivered. */
  flush(): void
}

/** In the page, as `benchRows`. */
interface RowsProbe {
  /** Drawn rows and when they were others than before, since {@link watch}. */
  changes: { readonly atMs: number; readonly rows: string }[]
  watch(): void
  /** Ends it: what looks at rows slows what comes after. */
  unwatch(): void
  /** When the last key or press began, and what it was typed or pressed for arrived. */
  lastInputMs: number
}

/** Interactions faster than this are not told one by one, in milliseconds. */
const EVENT_MS_MIN = 16

/** Has each page of a browser note its interactions, its first rows, and when rows change. */
export async function installProbe(page: Page): Promise<void> {
  await page.addInitScript(noteItself, { row: ROW, mark: MARK, eventMsMin: EVENT_MS_MIN })
  await page.addInitScript(noteRows, MARK)
}

function noteItself({
  row,
  mark,
  eventMsMin,
}: {
  readonly row: string
  readonly mark: typeof MARK
  readonly eventMsMin: number
}): void {
  const interactions: Interaction[] = []
  const note = (entries: PerformanceEntryList): void => {
    for (const entry of entries as PerformanceEventTiming[]) {
      const id = (entry as unknown as { readonly interactionId: number }).interactionId
      if (id > 0) interactions.push({ id, ms: entry.duration })
    }
  }
  const timings = new PerformanceObserver((list) => note(list.getEntries()))
  timings.observe({ type: 'event', durationThreshold: eventMsMin, buffered: true } as PerformanceObserverInit)
  const afterPaint = (then: () => void): void => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener('message', then)
      port1.start()
      port2.postMessage(undefined)
    })
  }
  const first = new MutationObserver(() => {
    if (!document.querySelector(row)) return
    first.disconnect()
    afterPaint(() => performance.mark(mark.firstRows))
  })
  first.observe(document, { childList: true, subtree: true })

  const probe: Probe = { interactions, flush: () => note(timings.takeRecords()) }
  Object.assign(globalThis, { benchProbe: probe })
}

function noteRows(mark: typeof MARK): void {
  const drawnRows = (): string =>
    [...document.querySelectorAll('[data-open], li[aria-posinset]')]
      .map((element) => element.getAttribute('data-open') ?? element.textContent)
      .toSorted()
      .join()
  let watching: MutationObserver | undefined
  const probe: RowsProbe = {
    changes: [],
    lastInputMs: 0,
    watch() {
      probe.unwatch()
      let before = drawnRows()
      let isLooking = false
      probe.changes = []
      // Rows are read after the paint and once for each frame: reading them is no part of what is measured.
      const look = (): void => {
        const atMs = performance.now()
        isLooking = false
        const rows = drawnRows()
        if (rows === before) return
        before = rows
        probe.changes.push({ atMs, rows })
      }
      watching = new MutationObserver(() => {
        if (isLooking) return
        isLooking = true
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.addEventListener('message', look)
          port1.start()
          port2.postMessage(undefined)
        })
      })
      watching.observe(document.body, {
        childList: true,
        subtree: true,
        attributes: true,
        attributeFilter: ['data-open'],
      })
    },
    unwatch() {
      watching?.disconnect()
      watching = undefined
    },
  }
  for (const type of ['keydown', 'input', 'click'] as const) {
    addEventListener(
      type,
      (event) => {
        probe.lastInputMs = event.timeStamp
        performance.mark(mark.pressed)
      },
      true,
    )
  }
  Object.assign(globalThis, { benchRows: probe })
}

declare const benchProbe: Probe
declare const benchRows: RowsProbe

/** Milliseconds from the beginning of the page, or from the last press before, to its first rows. */
export async function firstRowsMs(page: Page, from: 'navigation' | 'press' = 'navigation'): Promise<number> {
  await page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, MARK.firstRows, {
    timeout: 300_000,
  })
  return page.evaluate(
    ({ mark, isFromPress }) => {
      const rows = performance.getEntriesByName(mark.firstRows)[0]?.startTime ?? Number.NaN
      const pressed = performance.getEntriesByName(mark.pressed).filter(({ startTime }) => startTime < rows)
      return rows - (isFromPress ? (pressed.at(-1)?.startTime ?? Number.NaN) : 0)
    },
    { mark: MARK, isFromPress: from === 'press' },
  )
}

/** Milliseconds of each interaction that the body makes, from its beginning to the next paint; one that is too fast to be told counts as {@link EVENT_MS_MIN}. */
export async function interactionsOf(page: Page, body: () => Promise<void>): Promise<readonly number[]> {
  const count = (): Promise<number> =>
    page.evaluate(() => (performance as unknown as { readonly interactionCount: number }).interactionCount)
  await settle(page)
  const told = await page.evaluate(() => benchProbe.interactions.splice(0).length)
  const before = await count()
  await body()
  await settle(page)
  const slow = new Map<number, number>()
  for (const { id, ms } of await page.evaluate(() => benchProbe.interactions.splice(0))) {
    slow.set(id, Math.max(ms, slow.get(id) ?? 0))
  }
  const made = (await count()) - before
  if (made === 0 && slow.size === 0) throw new Error(`no interaction was counted (${told} before)`)
  return [...slow.values(), ...Array.from({ length: Math.max(0, made - slow.size) }, () => EVENT_MS_MIN)]
}

/** Two frames, after which what was done last has been painted and told. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => setTimeout(resolve))
    benchProbe.flush()
  })
}

/** Milliseconds from the last key or press of the body to the first paint with other rows. */
export async function rowsAfter(page: Page, body: () => Promise<void>): Promise<number> {
  await page.evaluate(() => benchRows.watch())
  await body()
  const found = await page.waitForFunction(() => {
    const change = benchRows.changes.find(({ atMs }) => atMs > benchRows.lastInputMs)
    if (change) benchRows.unwatch()
    return change && { ms: change.atMs - benchRows.lastInputMs }
  })
  const ms = (await found.evaluate((value) => (value ? value.ms : undefined))) ?? Number.NaN
  await found.dispose()
  return ms
}

/** What scripts of the app's own have weighed until a moment, as they were sent; workers are not among them. Bytes. */
export async function scriptBytes(page: Page): Promise<number> {
  return page.evaluate((mark) => {
    const until = performance.getEntriesByName(mark)[0]?.startTime ?? Infinity
    return (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(
        ({ name, startTime }) => /\/assets\/(?!.*worker)[^/]+\.js$/.test(new URL(name).pathname) && startTime <= until,
      )
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  }, MARK.firstRows)
}
