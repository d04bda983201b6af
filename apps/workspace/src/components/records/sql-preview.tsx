import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { newTableMessages as words } from '../../messages/new-table.ts'
import { CallFailureText } from '../call-failure-text.tsx'

/** The statements that the server would run, as returned by one of its functions. */
export function SqlPreview({
  name,
  args,
  refusals,
  isPaused = false,
}: {
  readonly name: string
  readonly args: object
  readonly refusals: Readonly<Record<string, string>>
  readonly isPaused?: boolean
}): JSX.Element {
  const isOnline = useOnline()
  const { run, failure } = useCall(refusals)
  const [known, setKnown] = useState<{ readonly of: string; readonly text: string }>()
  const wanted = JSON.stringify(args)
  const ask = useEffectEvent(async (of: string) => {
    const asked = await run<string>(name, args)
    if (asked) setKnown({ of, text: asked.result })
  })
  useEffect(() => {
    if (!isOnline || isPaused) return
    const timer = setTimeout(() => void ask(wanted), 300)
    return () => clearTimeout(timer)
  }, [wanted, isOnline, isPaused])
  if (!isOnline) return <p>{words.offline}</p>
  if (failure) return <CallFailureText failure={failure} />
  if (known?.of !== wanted) return <p role="status">{words.rulesLoading}</p>
  return (
    // Makes it scrollable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-border bg-sunken p-3 font-mono text-small text-text"
    >
      {known.text}
    </pre>
  )
}
