import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** No rule of WCAG 2.2 AA that a machine can check is broken on this screen, and nothing is wider than the window, or longer where the screen scrolls inside of it. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  await expectNoSidewaysScroll(page, screen)
  await expectStillPage(page, screen)
  await comeToRest(page)
  const { violations } = await new AxeBuilder({ page })
    // Otherwise each screen costs a second page, and the description of all that is right.
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    // The component library's own place for announcements is invisible. What it said a moment ago may name a button that is gone by now; no reader reaches it any more.
    .exclude('[data-live-announcer]')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze()
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 5).map(({ html, failureSummary }) => `${html.slice(0, 300)} — ${failureSummary ?? ''}`),
  }))
  expect(found, `axe on ${screen}`).toEqual([])
}

/** The page itself never scrolls sideways; a grid does so inside of its own box. */
export async function expectNoSidewaysScroll(page: Page, screen: string): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), {
      message: `${screen} fits into the window's width`,
    })
    .toBeLessThanOrEqual(0)
}

/** Where the screen scrolls inside of the app's frame, the page around it does not: its bar would go out of sight. */
async function expectStillPage(page: Page, screen: string): Promise<void> {
  const beyond = (): number => {
    const main = document.querySelector('#content')
    if (main === null || getComputedStyle(main).overflowY === 'visible') return 0
    return document.documentElement.scrollHeight - document.documentElement.clientHeight
  }
  await expect
    .poll(() => page.evaluate(beyond), { message: `${screen} does not scroll as a page` })
    .toBeLessThanOrEqual(0)
}

/** Layers fade in; half of the way their colours are not those that people read. What turns for ever is left alone. */
export async function comeToRest(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) {
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()
    }
  })
}
