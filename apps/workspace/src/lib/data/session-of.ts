import type { HoldfastClient, SessionState } from '@holdfast/client'

/** Resolves with the session once it has been restored from the device. */
export async function sessionOf(client: Pick<HoldfastClient, 'session'>): Promise<SessionState> {
  const now = client.session.get()
  if (now.kind !== 'booting') return now
  return new Promise((resolve) => {
    const stop = client.session.subscribe(() => {
      stop()
      resolve(client.session.get())
    })
  })
}
