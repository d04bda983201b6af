import type { BrowserContext, ConsoleMessage } from '@playwright/test'

/** What went wrong in a browser without anybody seeing it: errors on the console, exceptions and rejections that no code handled. */
export interface Problems {
  /** The journey causes these itself. */
  expect(pattern: RegExp): void
  /** From now on the browser may report that the line is cut. */
  expectCutLine(): void
  readonly found: readonly string[]
}

/** How Chromium itself reports a request that got no answer; a page cannot keep it from doing so. */
const CUT_LINE = /^(?:Failed to load resource: net::ERR_|WebSocket connection to '[^']*' failed)/

/** How Chromium reports that a policy would let a person change a photo: the change is asked about, and refused for its number of rows. */
const JUDGED = /^Failed to load resource: .* 400 .*\/rest\/v1\/photos\?id=eq\.[^&]+\)$/

/** How Chromium reports that a change of a table waited in vain for a lock, on a busy machine. The app repeats it. */
const BUSY = /^Failed to load resource: .* 500 .*\/rest\/v1\/rpc\/change_table\)$/

export function watchProblems(context: BrowserContext): Problems {
  const found: string[] = []
  const expected: RegExp[] = [JUDGED, BUSY]
  const note = (text: string): void => {
    if (!expected.some((pattern) => pattern.test(text))) found.push(text)
  }
  context.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error') note(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => note(`${error.error().stack ?? String(error.error())}`))
  return {
    expect: (pattern) => void expected.push(pattern),
    expectCutLine: () => void expected.push(CUT_LINE),
    found,
  }
}
