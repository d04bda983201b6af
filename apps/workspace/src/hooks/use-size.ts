import { type RefObject, useEffect, useState } from 'react'

export interface ElementSize {
  readonly width: number
  readonly height: number
}

/** Returns an element's inner size in pixels; `undefined` before it is laid out. */
export function useSize(element: RefObject<HTMLElement | null>): ElementSize | undefined {
  const [size, setSize] = useState<ElementSize>()
  // The browser determines the size.
  useEffect(() => {
    const { current } = element
    if (!current) return
    const measure = (): void => setSize({ width: current.clientWidth, height: current.clientHeight })
    measure()
    const resized = new ResizeObserver(measure)
    resized.observe(current)
    return () => resized.disconnect()
  }, [element])
  return size
}
