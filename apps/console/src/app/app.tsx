import { RouterProvider } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button, Notice, Spinner } from '@holdfast/workspace'
import { messageOf } from '../lib/api.ts'
import { useSession } from '../lib/session.ts'
import { SignIn } from '../screens/sign-in/sign-in.tsx'
import { router } from './router.tsx'

/** Sign-in until there is a complete session, then the screens. */
export function App(): JSX.Element {
  const { data, error, refetch, isFetching } = useSession()
  if (data) return data.state === 'complete' ? <RouterProvider router={router} /> : <SignIn session={data} />
  return (
    <main className="flex h-full items-center justify-center p-6 text-muted">
      {error ? (
        <Notice
          tone="danger"
          role="alert"
          title="The console cannot be opened"
          actions={
            <Button isPending={isFetching} onPress={() => void refetch()}>
              Try again
            </Button>
          }
        >
          {messageOf(error)}
        </Notice>
      ) : (
        <span role="status" className="flex items-center gap-2">
          <Spinner /> Opening the console
        </span>
      )}
    </main>
  )
}
