/**
 * Has an element become inert after the next paint. What opens over the page (popovers, menus, dialogs of React Aria) makes the page inert, and every element
 * below inherits that: the styles of the whole page were computed before anybody saw what they had opened. Meanwhile the focus is in what has opened, and a
 * layer over the page takes presses. It ends at once: the focus goes back into the page.
 *
 * @param page - the element that holds all but what opens over it
 */
export function inertAfterPaint(page: HTMLElement): void {
  let isWanted = page.inert
  Object.defineProperty(page, 'inert', {
    configurable: true,
    get: () => isWanted,
    set(isInert: boolean) {
      isWanted = isInert
      if (!isInert) page.toggleAttribute('inert', false)
      else requestAnimationFrame(() => setTimeout(() => page.toggleAttribute('inert', isWanted)))
    },
  })
}
