import { create } from 'zustand'

/** The key that the server printed at its start, `/welcome#key=…`; taken out of the address at the start, and empty after a reload. */
export const useWelcomeKey = create<{ readonly key: string | undefined }>(() => ({ key: undefined }))

const WELCOME_PATH = '/welcome'

/** Keeps the key for the screen that uses it, and takes it out of the address bar and the history. Call it before the router looks at the address. */
export function takeWelcomeKey(): void {
  if (location.pathname !== WELCOME_PATH) return
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key === null || key === '') return
  useWelcomeKey.setState({ key })
  history.replaceState(null, '', WELCOME_PATH)
}
