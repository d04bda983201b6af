import { type ComponentType, createElement, type JSX, Suspense } from 'react'
import { isOnDevice } from '../is-on-device.ts'
import { latePart, useLatePart } from '../late-part.ts'

/** Milliseconds that the screen has for itself before anything of presence is loaded; on a first visit, where it comes over the line, longer. */
const FIRST_MS = 1_000
const FIRST_VISIT_MS = 6_000

/** For what no first grid needs. */
export function firstVisitMs(): number {
  return isOnDevice() ? FIRST_MS : FIRST_VISIT_MS
}

/**
 * A component that is loaded when the screen has been painted and the browser has time. What cannot be loaded is not there until an attempt succeeds
 * ({@link useLatePart}).
 *
 * @param firstMs - milliseconds that the screen has for itself
 */
export function lazyAfterPaint<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  firstMs: () => number = () => FIRST_MS,
): (props: Props) => JSX.Element | null {
  const late = latePart(async () => {
    await painted(firstMs())
    return load()
  })
  return function AfterPaint(props) {
    const { part } = useLatePart(late, true)
    return part === undefined ? null : <Suspense fallback={null}>{createElement(part, props)}</Suspense>
  }
}

function painted(firstMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      // Safari has no requestIdleCallback.
      if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve())
      else resolve()
    }, firstMs)
  })
}
