import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useState } from 'react'

/** Space in px at the edges of the screen where dragging scrolls. */
const EDGE_PX = 64

/**
 * Moves items while a handle is dragged. The list itself shows where the item goes. Items have an id in `data-drag`.
 *
 * @param onOver - called when the item has passed the middle of another one, `isBelow` if that comes after it
 */
export function useDragOrder(
  list: RefObject<HTMLElement | null>,
  onOver: (id: string, over: string, isBelow: boolean) => void,
): { readonly dragged: string | undefined; readonly onGrab: (event: PointerEvent, id: string) => void } {
  const [dragged, setDragged] = useState<string>()
  const over = useEffectEvent((y: number) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[data-drag]') ?? [])]
    const at = items.findIndex((item) => item.dataset['drag'] === dragged)
    const isBelow = (item: HTMLElement): boolean => items.indexOf(item) > at
    const target = items.find((item) => {
      const { top, bottom } = item.getBoundingClientRect()
      const middle = (top + bottom) / 2
      return y >= top && y <= bottom && (isBelow(item) ? y > middle : y < middle)
    })
    const id = target?.dataset['drag']
    if (target && dragged !== undefined && id !== undefined && id !== dragged) onOver(dragged, id, isBelow(target))
    const scrolled = scrollerOf(list.current)
    if (y < EDGE_PX * 2) scrolled?.scrollBy({ top: -EDGE_PX / 4 })
    else if (y > innerHeight - EDGE_PX * 2) scrolled?.scrollBy({ top: EDGE_PX / 4 })
  })
  // The pointer leaves the handle while the item moves.
  useEffect(() => {
    if (dragged === undefined) return
    const onMove = (event: globalThis.PointerEvent): void => {
      event.preventDefault()
      over(event.clientY)
    }
    const end = (): void => setDragged(undefined)
    addEventListener('pointermove', onMove)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
    return () => {
      removeEventListener('pointermove', onMove)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
    }
  }, [dragged])
  return {
    dragged,
    onGrab(event, id) {
      if (event.button === 0) setDragged(id)
    },
  }
}

function scrollerOf(element: HTMLElement | null): Element | null {
  for (let one = element; one; one = one.parentElement)
    if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY)) return one
  return document.querySelector('main')
}
