/**
 * Delays an element's `inert` until after the next paint. React Aria's overlays make the page inert, which every element below inherits, so the whole page's
 * styles were recomputed before the overlay became visible. Until then the focus is in the overlay, and a layer over the page catches presses. Removing `inert`
 * takes effect at once, because the focus returns to the page.
 *
 * @param page - the element that contains everything except overlays
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
