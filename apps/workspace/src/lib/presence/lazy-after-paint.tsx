import { type ComponentType, createElement, type JSX, lazy, Suspense } from 'react'

/** Milliseconds that the screen has for itself before anything of presence is loaded. */
const FIRST_MS = 1_000

/**
 * A component that is loaded when the screen has been painted and the browser has time. What cannot be loaded is not there: nothing depends on
 * who else is here.
 */
export function lazyAfterPaint<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => JSX.Element {
  const Loaded = lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    await painted()
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

function painted(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      // Safari has no requestIdleCallback.
      if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve())
      else resolve()
    }, FIRST_MS)
  })
}
