/** Measurements that a page takes of itself. The functions passed to the browser must not use anything of this module from outside their bodies. */
import type { Page } from '@playwright/test'

/** Names of the `performance` marks that the probes set. */
export const MARK = { firstRows: 'first rows', pressed: 'pressed' } as const

/** Selects rendered rows of a grid or list whose data is loaded, and cells of the plain page. */
export const ROW =
  '[role=grid] [data-open], [role=treegrid] [data-open], li[aria-posinset] > button, td[contenteditable]'

interface Interaction {
  readonly id: number
  readonly ms: number
}

/** The probe in the page, available as `benchProbe`. */
interface Probe {
  /** Event Timing entries that belong to an interaction. */
  readonly interactions: Interaction[]
  /** Processes measurements that the observer has not delivered yet. */
  flush(): void
}

/** The probe for rows in the page, available as `benchRows`. */
interface RowsProbe {
  /** The rendered rows at each change since {@link watch}. */
  changes: { readonly atMs: number; readonly rows: string }[]
  watch(): void
  /** Stops watching, because reading the rows slows down what follows. */
  unwatch(): void
  /** When the last key press or click happened. */
  lastInputMs: number
}

/** Interactions shorter than this are not reported individually, in milliseconds. */
const EVENT_MS_MIN = 16

/** Makes each page of a browser record its interactions, its first rows, and when its rows change. */
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
      // Reads the rows after the paint and once per frame, so that reading them is not part of the measured time.
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

/** Milliseconds from the start of the page, or from the last click before, until its first rows are shown. */
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

/**
 * Milliseconds of each interaction that `body` performs, from its start to the next paint. One that is too fast to be reported counts as {@link
 * EVENT_MS_MIN}.
 */
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

/** Waits two frames, after which the last change has been painted and reported. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => setTimeout(resolve))
    benchProbe.flush()
  })
}

/** Milliseconds from the last key press or click of `body` to the first paint with other rows. */
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

/** Bytes of the app's own scripts transferred so far, without those of workers. */
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
