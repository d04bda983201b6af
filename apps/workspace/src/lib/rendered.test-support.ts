import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach } from 'vitest'

/** Where a test renders; another one for each. */
export interface Rendered {
  readonly root: Root
  readonly place: HTMLElement
}

/** Gives each test of a file a place in the document, and takes it away again. The file runs in `happy-dom`. */
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
