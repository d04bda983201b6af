import { create } from 'zustand'

/** The key that the server printed at its start. It is taken out of the address at once, and gone after a reload. */
export interface WelcomeKey {
  /** From `/welcome#key=…`: signs in to the sample once. */
  readonly key: string | undefined
  /** From `/welcome#owner=…`: creates the first workspace of the server and its owner. */
  readonly ownerKey: string | undefined
}

export const useWelcomeKey = create<WelcomeKey>(() => ({ key: undefined, ownerKey: undefined }))

const WELCOME_PATH = '/welcome'

/** Stores the key and removes it from address bar and history. Call before the router reads the URL. */
export function takeWelcomeKey(): void {
  if (location.pathname !== WELCOME_PATH) return
  const parameters = new URLSearchParams(location.hash.slice(1))
  const [key, ownerKey] = ['key', 'owner'].map((name) => parameters.get(name) || undefined)
  if (key === undefined && ownerKey === undefined) return
  useWelcomeKey.setState({ key, ownerKey })
  history.replaceState(null, '', WELCOME_PATH)
}
