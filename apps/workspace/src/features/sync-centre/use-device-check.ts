import { toError } from '@holdfast/protocol'
import { CheckUnavailable, type DeviceCheck, type DeviceCheckProgress } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useRef, useState } from 'react'

export type DeviceCheckState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'checking'; readonly progress: DeviceCheckProgress | undefined }
  | { readonly kind: 'checked'; readonly check: DeviceCheck }
  | { readonly kind: 'failed'; readonly error: Error }

export interface UsedDeviceCheck {
  readonly state: DeviceCheckState
  start(): void
  cancel(): void
  /** Fetches everything again. */
  repair(): Promise<void>
}

/** Checks this device. The check ends with the page. */
export function useDeviceCheck(): UsedDeviceCheck {
  const local = useLocalDatabase()
  const [state, setState] = useState<DeviceCheckState>({ kind: 'idle' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const run = async (): Promise<void> => {
    const mine = new AbortController()
    running.current = mine
    setState({ kind: 'checking', progress: undefined })
    try {
      const check = await local.checkDevice({
        signal: mine.signal,
        onProgress: (progress) => setState({ kind: 'checking', progress }),
      })
      setState({ kind: 'checked', check })
    } catch (error) {
      if (mine.signal.aborted) setState({ kind: 'idle' })
      else setState({ kind: 'failed', error: toError(error) })
    }
  }
  return {
    state,
    start: () => void run(),
    cancel: () => running.current?.abort(),
    async repair() {
      await local.resync()
      setState({ kind: 'idle' })
    },
  }
}

export function failureReason(error: Error): CheckUnavailable['reason'] | undefined {
  return error instanceof CheckUnavailable ? error.reason : undefined
}
