import { type JSX, useEffect, useState } from 'react'
import { isOnDevice } from '../lib/is-on-device.ts'
import { errorMessages } from '../messages/errors.ts'
import { Button } from './button.tsx'

/** Timeout in ms for the server before a reload. */
const REACH_MS = 10_000

/** Loads the app again. Without its files on this device, only once the server answers: the browser's error page would replace the app otherwise. */
export function ReloadButton({
  size = 'md',
  tone = 'secondary',
  label = errorMessages.reload,
}: Pick<Parameters<typeof Button>[0], 'size' | 'tone'> & { readonly label?: string }): JSX.Element {
  const [step, setStep] = useState<'idle' | 'asking' | 'unreachable'>('idle')
  const reload = async (): Promise<void> => {
    setStep('asking')
    if (isOnDevice() || (await canReachServer())) location.reload()
    else setStep('unreachable')
  }
  // The connection is back.
  useEffect(() => {
    if (step !== 'unreachable') return
    const again = (): void => void reload()
    addEventListener('online', again)
    return () => removeEventListener('online', again)
    // oxlint-disable-next-line react/exhaustive-deps -- while it waits
  }, [step])
  return (
    <>
      <Button size={size} tone={tone} isPending={step === 'asking'} onPress={() => void reload()}>
        {label}
      </Button>
      {step === 'unreachable' ? (
        <p role="status" className="text-small text-muted">
          {errorMessages.reloadOffline}
        </p>
      ) : null}
    </>
  )
}

async function canReachServer(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(REACH_MS)
    return (await fetch('/', { method: 'HEAD', cache: 'no-store', signal })).ok
  } catch {
    return false // no network, or a server that does not answer
  }
}
