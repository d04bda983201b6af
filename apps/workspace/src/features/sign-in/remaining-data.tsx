import { useHoldfast, useValue } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { Notice } from '../../components/notice.tsx'
import { signInMessages as words } from '../../messages/sign-in.ts'

/** Lists users whose data could not be removed from this device, with the reason and a retry button. */
export function RemainingData(): JSX.Element | null {
  const client = useHoldfast()
  // A removal without a problem is still running.
  const remaining = useValue(client.removals).filter(({ problem }) => problem !== undefined)
  const [isRetrying, setRetrying] = useState(false)
  if (remaining.length === 0) return null
  const retry = async (): Promise<void> => {
    setRetrying(true)
    await client.retryRemovals()
    setRetrying(false)
  }
  return (
    <Notice
      tone="warning"
      role="alert"
      title={words.dataRemains}
      actions={
        <Button size="sm" isPending={isRetrying} onPress={() => void retry()}>
          {words.removeAgain}
        </Button>
      }
    >
      <p>{words.dataRemainsOf(remaining.map(({ email }) => email ?? words.someAccount))}</p>
      <Disclosure title={words.details}>
        {remaining.map(({ id, problem }) => (
          <p key={id} className="font-mono text-mono text-muted">
            HF-DATA-REMAINS · {problem}
          </p>
        ))}
      </Disclosure>
    </Notice>
  )
}
