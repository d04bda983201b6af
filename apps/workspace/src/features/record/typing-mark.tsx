import { useBroadcast, useLocalDatabase, usePresence } from '@holdfast/react'
import { type JSX, useEffect, useEffectEvent } from 'react'
import { type Here, parseHere, parseTyping, type Typing } from '../../lib/presence/shown.ts'
import { useIsHere } from '../../lib/presence/use-is-here.ts'
import { useRecent } from '../../lib/presence/use-recent.ts'
import { presenceMessages as words } from '../../messages/presence.ts'

const PER_SECOND = 1
/** Time in ms after the last key during which a user counts as typing. */
const TYPING_MS = 5_000

/** Shows who else is writing a comment on the record, and tells the others when this user is. */
export function TypingMark({
  topic,
  text,
}: {
  readonly topic: string | undefined
  readonly text: string
}): JSX.Element | null {
  const { userId } = useLocalDatabase()
  const place = useIsHere() ? topic : undefined
  const { people } = usePresence<Here>(place, undefined, { parse: parseHere })
  const [typing, put] = useRecent<true>(TYPING_MS)
  const { send } = useBroadcast<Typing>(
    place,
    'typing',
    ({ user, isTyping }) => put(user, isTyping ? true : undefined),
    { perSecond: PER_SECOND, parse: parseTyping },
  )
  const tell = useEffectEvent((isTyping: boolean) => send({ user: userId, isTyping }))
  useEffect(() => {
    if (text === '') return
    tell(true)
    return () => tell(false)
  }, [text])
  const names = people.flatMap(({ key, state, isMe }) => (!isMe && typing.has(key) ? [state.name] : []))
  return names.length === 0 ? null : <p className="min-w-0 truncate text-small text-muted">{words.typing(names)}</p>
}
