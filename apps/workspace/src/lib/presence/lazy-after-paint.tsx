import { type ComponentType, createElement, type JSX, lazy, Suspense } from 'react'
import { isOnDevice } from '../is-on-device.ts'

/** Milliseconds that the screen has for itself before anything of presence is loaded; on a first visit, where it comes over the line, longer. */
const FIRST_MS = 1_000
const FIRST_VISIT_MS = 6_000

/** For what no first grid needs. */
export function firstVisitMs(): number {
  return isOnDevice() ? FIRST_MS : FIRST_VISIT_MS
}

/**
 * A component that is loaded when the screen has been painted and the browser has time. What cannot be loaded is not there: nothing depends on
 * who else is here.
 *
 * @param firstMs - milliseconds that the screen has for itself
 */
export function lazyAfterPaint<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  firstMs: () => number = () => FIRST_MS,
): (props: Props) => JSX.Element {
  const Loaded = lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    await painted(firstMs())
    try {
      return { default: await load() }
    } catch (error) {
      console.info('Who else is here is not shown:', error)
      return { default: Nothing }
    }
  })
  return (props) => (
    <Suspense fallback={null}>{createElement(Loaded as unknown as ComponentType<Props>, props)}</Suspense>
  )
}

function Nothing(): null {
  return null
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
