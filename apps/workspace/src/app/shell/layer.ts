import { createStore, type StoreApi } from 'zustand'

/** Overlays that any screen can open, one at a time. */
export type Layer = 'palette' | 'shortcuts' | 'sign-out' | 'drawer'

/** Which layer is open. Kept outside the shell's state, so that opening a layer does not re-render what lies under it. */
export interface OpenLayer {
  readonly store: StoreApi<{ readonly layer: Layer | undefined }>
  readonly set: (layer: Layer | undefined) => void
}

export function createOpenLayer(): OpenLayer {
  const store = createStore<{ readonly layer: Layer | undefined }>(() => ({ layer: undefined }))
  return { store, set: (layer) => store.setState({ layer }) }
}
