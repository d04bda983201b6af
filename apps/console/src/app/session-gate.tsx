import { type JSX, type ReactNode, useEffect } from 'react'
import { Button, Notice, Spinner } from '@holdfast/workspace'
import { messageOf } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { OperatorContext, useSession } from '../lib/session.ts'
import { SignIn } from '../screens/sign-in/sign-in.tsx'

/** Shows sign-in until there is a complete session, then the children. */
export function SessionGate({ children }: { readonly children: ReactNode }): JSX.Element {
  const { data, error, refetch, isFetching } = useSession()
  const operator = data?.state === 'complete' ? data.operator : undefined
  const operatorId = operator?.id
  // What an operator has read is not shown to the next one.
  useEffect(() => {
    if (operatorId === undefined) return
    return () => queryClient.removeQueries({ type: 'inactive' })
  }, [operatorId])
  if (operator) return <OperatorContext value={operator}>{children}</OperatorContext>
  if (data) return <SignIn session={data} />
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
