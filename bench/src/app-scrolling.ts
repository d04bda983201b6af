import type { Device } from './app-phone.ts'

/** What was visible while a view was scrolled, in milliseconds. */
export interface Scrolled {
  /** The longest time in which a part of the view showed neither rows nor placeholder lines. */
  readonly blankMs: number
  /** The longest time in which a part of the view showed placeholder lines instead of rows. */
  readonly linesMs: number
  /** Time between successive frames. */
  readonly frameMs: readonly number[]
}

/**
 * Chromium paints a scrolled box this far beyond its visible part, and scrolls without asking the page. Farther away nothing is visible until the page has
 * rendered.
 */
const PAINTED_PX = 4_000

/** Where the finger touches the screen. */
const FINGER = { x: 195, y: 500 }

/** Scrolls with a finger at constant speed, down and up again. */
export async function scrollAt(device: Device, pxPerS: number, seconds: number): Promise<Scrolled> {
  return watchFrames(device, PAINTED_PX, async () => {
    const distance = Math.round(pxPerS * seconds)
    for (const direction of [-1, 1]) {
      await device.devtools.send('Input.synthesizeScrollGesture', {
        ...FINGER,
        yDistance: direction * distance,
        speed: pxPerS,
        gestureSourceType: 'touch',
      })
    }
  })
}

/** Moves the view to several distant positions at once, as dragging the scroll bar of a long list does. */
export async function jump(device: Device, times: number): Promise<Scrolled> {
  return watchFrames(device, Infinity, () =>
    device.page.evaluate(async (times) => {
      const box =
        document.querySelector('[role=grid], [role=treegrid]') ??
        document.querySelector('li[aria-posinset]')?.closest('div')
      for (let place = 1; place <= times; place++) {
        box?.scrollTo({ top: box.scrollHeight * ((place * 0.37) % 1) })
        // Users stay at the last position, so its rows must appear too.
        for (let frame = 0; frame < 20; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
      }
    }, times),
  )
}

/** Checks every frame while `body` scrolls, and afterwards until all visible rows are loaded. */
async function watchFrames({ page }: Device, paintedPx: number, body: () => Promise<void>): Promise<Scrolled> {
  await page.evaluate((paintedPx) => {
    const found =
      document.querySelector('[role=grid], [role=treegrid]') ??
      document.querySelector('li[aria-posinset]')?.closest('div')
    const rows = found?.querySelector<HTMLElement>('.row-bands')
    if (!found || !rows) throw new Error('there is neither a grid nor a list')
    const box = found
    const isGrid = box.hasAttribute('aria-rowcount')
    const drawn = rows.getElementsByTagName(isGrid ? 'div' : 'li')
    const rowPx = (rows.querySelector<HTMLElement>('[data-row], li[aria-posinset]')?.offsetHeight ?? 0) || 1
    const hasLines = getComputedStyle(rows).backgroundSize.includes(`${rowPx}px`)
    const total = Math.round(rows.offsetHeight / rowPx)
    const seen = { blankMs: 0, linesMs: 0, frameMs: [] as number[], isOver: false, isWhole: false }
    let [lastMs, lastTop, blankSince, linesSince] = [performance.now(), box.scrollTop, 0, 0]
    const look = (nowMs: number): void => {
      const frameMs = nowMs - lastMs
      const top = box.scrollTop
      const read = new Set<number>()
      const known = new Set<number>()
      for (const element of drawn) {
        const place = isGrid ? element.dataset['row'] : element.ariaPosInSet
        if (place === undefined || place === null) continue
        const index = Number(place) - (isGrid ? 0 : 1)
        known.add(index)
        if (element.querySelector(isGrid ? '[data-open]' : 'button')) read.add(index)
      }
      const first = Math.floor(top / rowPx)
      const last = Math.min(total - 1, Math.floor((top + box.clientHeight - (isGrid ? 68 : 0)) / rowPx))
      let [isBlank, isWhole] = [false, true]
      for (let index = first; index <= last; index++) {
        if (!read.has(index)) isWhole = false
        if (!hasLines && !known.has(index)) isBlank = true
      }
      // The page was not asked in time, and the area scrolled into view was not painted.
      const unpaintedMs = Math.abs(top - lastTop) > paintedPx ? frameMs : 0
      blankSince = isBlank ? blankSince + frameMs : 0
      linesSince = isWhole ? 0 : linesSince + frameMs
      seen.blankMs = Math.max(seen.blankMs, blankSince, unpaintedMs)
      seen.linesMs = Math.max(seen.linesMs, linesSince)
      seen.frameMs.push(frameMs)
      seen.isWhole = isWhole
      ;[lastMs, lastTop] = [nowMs, top]
      if (!seen.isOver || !isWhole) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
    Object.assign(globalThis, { benchSeen: seen })
  }, paintedPx)
  await body()
  const seen = await page.waitForFunction(() => {
    benchSeen.isOver = true
    return benchSeen.isWhole ? benchSeen : undefined
  })
  const { blankMs, linesMs, frameMs } = (await seen.jsonValue()) as Scrolled
  await seen.dispose()
  return { blankMs, linesMs, frameMs }
}

declare const benchSeen: Scrolled & { isOver: boolean; readonly isWhole: boolean }
