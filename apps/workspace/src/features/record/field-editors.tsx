import { useBroadcast, useLocalDatabase, usePresence } from '@holdfast/react'
import { useEffect, useEffectEvent } from 'react'
import { type Editing, type Here, parseEditing, parseHere } from '../../lib/presence/shown.ts'
import { idleMs, useIsHere } from '../../lib/presence/use-is-here.ts'
import { useRecent } from '../../lib/presence/use-recent.ts'

const PER_SECOND = 2
/** Interval in ms for resending this user's field: messages may be lost, and users may join. */
const AGAIN_MS = 2_000
/** Time in ms without input after which the field is no longer sent. */
const STILL_AFTER_MS = 30_000
/** Time in ms after a user's last message during which they count as editing. */
const GONE_AFTER_MS = 5_000

/** Names of the other users editing each field. */
export type EditorsOfFields = ReadonlyMap<string, readonly string[]>

/** Tracks who else is editing which field of a record, and sends this user's field. Renders nothing; the fields show the names. */
export function FieldEditors({
  topic,
  field,
  onChange,
}: {
  readonly topic: string | undefined
  /** The field that this user is editing. */
  readonly field: string | undefined
  readonly onChange: (editors: EditorsOfFields) => void
}): null {
  const { userId } = useLocalDatabase()
  const place = useIsHere() ? topic : undefined
  const { people } = usePresence<Here>(place, undefined, { parse: parseHere })
  const [recent, put] = useRecent<string>(GONE_AFTER_MS)
  const { send } = useBroadcast<Editing>(place, 'editing', (one) => put(one.user, one.field ?? undefined), {
    perSecond: PER_SECOND,
    parse: parseEditing,
  })
  useTellField(field, (own) => send({ user: userId, field: own ?? null }))
  const editing = people.flatMap(({ key, state, isMe }) => {
    const edited = recent.get(key)?.value
    return isMe || edited === undefined ? [] : [[edited, state.name]]
  })
  // As text, because every message creates a new list, mostly with the same content.
  const text = JSON.stringify(editing)
  useEffect(() => onChange(byField(JSON.parse(text) as [field: string, name: string][])), [text, onChange])
  useEffect(() => () => onChange(new Map()), [onChange])
  return null
}

function byField(editing: readonly (readonly [field: string, name: string])[]): EditorsOfFields {
  const groups = Map.groupBy(editing, ([field]) => field)
  return new Map([...groups].map(([field, own]) => [field, own.map(([, name]) => name)]))
}

function useTellField(field: string | undefined, send: (field: string | undefined) => void): void {
  const tell = useEffectEvent((own: string | undefined) => {
    if (own === undefined || idleMs() < STILL_AFTER_MS) send(own)
  })
  useEffect(() => {
    if (field === undefined) return
    tell(field)
    const timer = setInterval(() => tell(field), AGAIN_MS)
    return () => {
      clearInterval(timer)
      tell(undefined)
    }
  }, [field])
}
