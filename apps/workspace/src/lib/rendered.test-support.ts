import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach } from 'vitest'

/** Container for a test's rendering. */
export interface Rendered {
  readonly root: Root
  readonly place: HTMLElement
}

/** Provides each test with a container and removes it afterwards. Requires `happy-dom`. */
export function renderedForEach(): Rendered {
  const rendered = {} as { root: Root; place: HTMLElement }
  beforeEach(() => {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
    rendered.place = document.createElement('div')
    document.body.append(rendered.place)
    rendered.root = createRoot(rendered.place)
  })
  afterEach(() => {
    act(() => rendered.root.unmount())
    rendered.place.remove()
  })
  return rendered
}
