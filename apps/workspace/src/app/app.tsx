import { HoldfastProvider } from '@holdfast/react'
import { RouterProvider } from '@tanstack/react-router'
import { type JSX, useEffect } from 'react'
import { Button } from '../components/button.tsx'
import { FirstFrame } from '../components/frame.tsx'
import { Logo } from '../components/logo.tsx'
import { Notice } from '../components/notice.tsx'
import { BackendProvider } from '../lib/data/backend-context.tsx'
import { errorMessages } from '../messages/errors.ts'
import { router } from './router.tsx'
import { start, useStart } from './start.ts'

/** Starts the app: loads the server's settings, or those of the last visit, then renders the router. */
export function App(): JSX.Element {
  const state = useStart()
  if (state.step === 'opening') return <FirstFrame />
  if (state.step === 'unreachable') return <Unreachable error={state.error} onRetry={start} />
  return (
    <BackendProvider backend={state.backend}>
      <HoldfastProvider client={state.backend.client}>
        <RouterProvider router={router} context={{ backend: state.backend }} />
      </HoldfastProvider>
    </BackendProvider>
  )
}

/** Shown if this device has never reached the server and cannot reach it now. */
function Unreachable({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }): JSX.Element {
  // Retries when the browser reports a connection.
  useEffect(() => {
    addEventListener('online', onRetry)
    return () => removeEventListener('online', onRetry)
  }, [onRetry])
  return (
    <main id="content" className="mx-auto flex max-w-lg flex-col gap-6 px-4 py-16">
      <div className="flex items-center gap-2 text-accent">
        <Logo size={28} />
        <h1 className="text-title text-text">Holdfast</h1>
      </div>
      <Notice
        tone="warning"
        role="alert"
        title={errorMessages.unreachable(errorMessages.theServer)}
        actions={<Button onPress={onRetry}>{errorMessages.tryNow}</Button>}
      >
        <p>{errorMessages.unreachableDetail}</p>
        <p className="pt-2 font-mono text-small text-muted">HF-NET-UNREACHABLE · {error.message}</p>
      </Notice>
    </main>
  )
}
