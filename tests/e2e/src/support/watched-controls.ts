import type { Page } from '@playwright/test'

/** The controls that a page offered from its load. */
export interface WatchedControls {
  /** Names of controls that were enabled and are gone or disabled now. */
  withdrawn(): Promise<readonly string[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** Records every enabled field, button and editor in the main part of the pages that are opened from now on, at every change of the document. */
export async function watchControls(page: Page): Promise<WatchedControls> {
  const script = await page.addInitScript(() => {
    const seen = new Set<string>()
    const enabled = (): ReadonlySet<string> => {
      const found = document.querySelectorAll<HTMLElement>('main :is(input:not([hidden]), textarea, button)')
      return new Set(
        [...found]
          .filter((element) => !element.matches(':disabled') && element.ariaDisabled !== 'true')
          .map((element) => {
            const labels = element.getAttribute('aria-labelledby')?.split(' ') ?? []
            const texts = labels.map((id) => document.querySelector(`[id="${id}"]`)?.textContent ?? '')
            const [label] = (element as HTMLInputElement).labels ?? []
            return texts.join(' ') || element.ariaLabel || label?.textContent || element.textContent
          }),
      )
    }
    const look = (): void => enabled().forEach((name) => seen.add(name))
    new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true })
    Object.assign(globalThis, {
      withdrawnControls: () => {
        const now = enabled()
        return [...seen].filter((name) => !now.has(name))
      },
    })
  })
  return {
    withdrawn: () =>
      page.evaluate(() =>
        (globalThis as unknown as { withdrawnControls: () => readonly string[] }).withdrawnControls(),
      ),
    [Symbol.asyncDispose]: () => script.dispose(),
  }
}
